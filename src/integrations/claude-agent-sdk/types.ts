/** What the Claude Agent SDK gives a session store and takes from it: its own types in shape, so that nobody needs them to read ours. */

/** One line of a transcript. Most have a `uuid`; what else they hold is the SDK's business. */
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

/** Fits `sessionStore` of `query`. */
export interface ClaudeSessionStore {
  /** Resolves when all of them are durable. Entries whose `uuid` is there already are left out. */
  append(key: ClaudeSessionKey, entries: ClaudeSessionEntry[]): Promise<void>;
  /** Null where nothing was written. */
  load(key: ClaudeSessionKey): Promise<ClaudeSessionEntry[] | null>;
  /** `mtime` is by the store's clock, in milliseconds. */
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** Of a session, with all of its subagents. */
  delete(key: ClaudeSessionKey): Promise<void>;
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}
