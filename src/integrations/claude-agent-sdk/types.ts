/** The types of the Claude Agent SDK's session stores, declared here so that our types do not need the SDK's. */

/** One line of a transcript. Most have a `uuid`; the other fields are the SDK's own. */
export interface ClaudeSessionEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

/** A transcript: that of a session, or with `subpath` that of one of its subagents. */
export interface ClaudeSessionKey {
  projectKey: string;
  sessionId: string;
  subpath?: string;
}

/** A session store for `sessionStore` of `query`. */
export interface ClaudeSessionStore {
  /** Resolves when all entries are durable. Entries whose `uuid` is stored already are left out. */
  append(key: ClaudeSessionKey, entries: ClaudeSessionEntry[]): Promise<void>;
  /** Returns the transcript; null if there is none. */
  load(key: ClaudeSessionKey): Promise<ClaudeSessionEntry[] | null>;
  /** `mtime` is by the store's clock, in milliseconds. */
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** Deletes a transcript; of a session, also those of its subagents. */
  delete(key: ClaudeSessionKey): Promise<void>;
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}
