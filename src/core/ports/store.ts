import type { StoreMaintenance } from "./store-maintenance.ts";

/**
 * Keeps sessions. A session is a list of records that only grows: record 1, 2, 3 … without gaps. What they mean is not the
 * store's business; it keeps them whole, in order, and durable before `append` resolves. All of it holds for any number of
 * processes at once, and on PostgreSQL for any number of machines. How one is written: docs/adding-a-store.md.
 */
export interface Store {
  /** The session with this id; makes an empty one where there is none. */
  open(sessionId: string): Promise<StoredSession>;
  /** Undefined where there is none. */
  find(sessionId: string): Promise<StoredSession | undefined>;
  /** The sessions written to last come first. */
  list(options?: ListSessionsOptions): Promise<readonly StoredSession[]>;
  /** Destroys a session with its records, blobs, saved state, locks and checkpoints. False where there was none. The only act that destroys. */
  delete(sessionId: string): Promise<boolean>;

  /** Adds all of the records at the end, or none of them. */
  append(sessionKey: number, records: readonly NewRecord[], options?: AppendOptions): Promise<AppendOutcome>;
  /** The records after a version, in order. Throws "store-damaged" where one is missing or is not what was written. */
  read(sessionKey: number, options?: ReadOptions): Promise<readonly StoredRecord[]>;
  /** The blobs of a session that have these names, in any order; one that it does not have is left out. */
  readBlobs(sessionKey: number, names: readonly string[]): Promise<readonly StoredBlob[]>;
  /** The records that hold at least one of the terms: those with most of them first, of equals the newest first. */
  search(terms: readonly string[], options?: SearchOptions): Promise<readonly FoundRecord[]>;

  /** Takes a lock, also one that its holder has taken already (it then lasts from now on) or that has run out. */
  acquireLock(lock: LockRequest): Promise<LockOutcome>;
  /** Who holds a lock, and until when; undefined where nobody does, or it has run out. Changes nothing. */
  findLock(lock: LockName): Promise<StoredLock | undefined>;
  /** Whether there was such a lock to release. */
  releaseLock(lock: LockRelease): Promise<boolean>;

  /** Replaces the checkpoint with the same id, if there is one. */
  saveCheckpoint(sessionKey: number, checkpoint: StoredCheckpoint): Promise<void>;
  /** The newest come first. */
  listCheckpoints(sessionKey: number, options?: ListCheckpointsOptions): Promise<readonly StoredCheckpoint[]>;
  /** Whether there was one. */
  deleteCheckpoint(sessionKey: number, checkpointId: string): Promise<boolean>;

  /** What spares an engine reading a long session from its first record on. @default the store has none, and all records are read */
  readonly savedStates?: SavedStates;

  /** For operators; retention needs it. @default the store has none */
  readonly maintenance?: StoreMaintenance;

  /** Ends what the store holds open. It cannot be used afterwards. */
  close(): Promise<void>;
}

/** A store with what operators need. */
export interface MaintainedStore extends Store {
  readonly maintenance: StoreMaintenance;
}

export interface StoredSession {
  /** Never given twice: a session that was deleted and made again has another. */
  readonly key: number;
  readonly id: string;
  /** The number of its records. */
  readonly version: number;
  /** The version of the newest record that rewrites; 0 where there is none. */
  readonly rewriteVersion: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewRecord {
  /** JSON, which comes back byte for byte. */
  readonly body: string;
  /** Whether it changes what earlier records say. @default false */
  readonly isRewrite?: boolean;
  /** What `search` finds it by: lower case, without white space. @default none */
  readonly terms?: readonly string[];
  /** Kept with it, both or none. Of a name that the session has already, the first stays: a name stands for its bytes. @default none */
  readonly blobs?: readonly StoredBlob[];
}

/** Bytes that records name, kept once per session. */
export interface StoredBlob {
  /** Made of its bytes: equal names are equal bytes. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface StoredRecord {
  readonly version: number;
  readonly at: number;
  readonly body: string;
}

export interface AppendOptions {
  /** Append only where the session has exactly so many records. */
  readonly expectedVersion?: number;
  /** Append only where the newest record that rewrites is this one: others may have added messages, but changed none. */
  readonly expectedRewriteVersion?: number;
  /**
   * When the call resolves: when the records are durable, or as soon as every reader sees them, where they become durable no later than what is
   * appended after them. A store may always wait. @default "durable"
   */
  readonly acknowledge?: Acknowledge;
}

/** When an append is acknowledged: once it is durable, or as soon as every reader sees it. */
export type Acknowledge = "durable" | "visible";

export type AppendOutcome =
  /** The versions of the session after the append; the records have the newest ones. */
  | { readonly type: "appended"; readonly version: number; readonly rewriteVersion: number }
  /** Something else came first; nothing was added. */
  | { readonly type: "conflict"; readonly version: number; readonly rewriteVersion: number }
  /** The session was deleted; nothing was added. */
  | { readonly type: "missing" };

export interface ReadOptions {
  /** @default 0 */
  readonly afterVersion?: number;
  /** The most records that are returned. @default all */
  readonly limit?: number;
}

export interface ListSessionsOptions {
  /** @default 100 */
  readonly limit?: number;
}

export interface SearchOptions {
  /** @default all sessions */
  readonly sessionKey?: number;
  /** @default all records */
  readonly limit?: number;
}

export interface FoundRecord {
  readonly sessionKey: number;
  readonly sessionId: string;
  readonly version: number;
  /** How many of the terms it holds. */
  readonly matches: number;
}

export interface LockRequest {
  readonly sessionKey: number;
  /** What is locked; of a message, its id. */
  readonly name: string;
  readonly holder: string;
  /** After so long anyone may take it, by the store's clock. */
  readonly durationMs: number;
}

export type LockOutcome =
  | { readonly type: "acquired"; readonly expiresAt: number }
  | { readonly type: "held"; readonly holder: string; readonly expiresAt: number };

/** Which lock is meant. */
export interface LockName {
  readonly sessionKey: number;
  readonly name: string;
}

/** A lock that somebody holds. */
export interface StoredLock {
  readonly holder: string;
  readonly expiresAt: number;
}

export interface LockRelease {
  readonly sessionKey: number;
  readonly name: string;
  /** Undefined releases it whoever holds it. */
  readonly holder?: string;
}

/**
 * Keeps, for each session, what its records up to a version come to. Derived data: whoever reads it checks it, and reads the records where
 * it is missing, old or damaged.
 */
export interface SavedStates {
  /** Replaces what was saved before, unless that is of a newer version. Throws "not-found" where there is no such session. */
  save(sessionKey: number, state: StoredState): Promise<void>;
  /** Undefined where nothing was saved, or there is no such session. */
  read(sessionKey: number): Promise<StoredState | undefined>;
}

export interface StoredState {
  /** How many records it stands for. */
  readonly version: number;
  /** A text, which comes back byte for byte. */
  readonly body: string;
}

export interface StoredCheckpoint {
  readonly id: string;
  readonly at: number;
  /** JSON, which comes back byte for byte. */
  readonly body: string;
}

export interface ListCheckpointsOptions {
  /** @default all */
  readonly limit?: number;
}
