import type { StoreMaintenance } from "./store-maintenance.ts";

/**
 * Keeps sessions. A session is an append-only list of records: record 1, 2, 3 … without gaps. The store does not interpret
 * records; it keeps them whole, in order, and durable before `append` resolves. All of this holds for any number of
 * concurrent processes, and on PostgreSQL for any number of machines. docs/adding-a-store.md says how to write one.
 */
export interface Store {
  /** The session with this id; creates an empty one where there is none. */
  open(sessionId: string): Promise<StoredSession>;
  /** The session with this id; undefined where there is none. */
  find(sessionId: string): Promise<StoredSession | undefined>;
  /** The sessions, those written to most recently first. */
  list(options?: ListSessionsOptions): Promise<readonly StoredSession[]>;
  /** Destroys a session with its records, blobs, saved state, locks and checkpoints. False where there was none. Nothing else here destroys records. */
  delete(sessionId: string): Promise<boolean>;

  /** Adds all of the records at the end, or none of them. */
  append(sessionKey: number, records: readonly NewRecord[], options?: AppendOptions): Promise<AppendOutcome>;
  /** The records after a version, in order. Throws "store-damaged" where a record is missing or differs from what was written. */
  read(sessionKey: number, options?: ReadOptions): Promise<readonly StoredRecord[]>;
  /** The session's blobs with these names, in any order; unknown names are left out. */
  readBlobs(sessionKey: number, names: readonly string[]): Promise<readonly StoredBlob[]>;
  /** The records with at least one of the terms, those with the most terms first; among equals, the newest first. */
  search(terms: readonly string[], options?: SearchOptions): Promise<readonly FoundRecord[]>;

  /** Takes a lock that is free or has expired, or renews one that the same holder has: it then expires `durationMs` from now. */
  acquireLock(lock: LockRequest): Promise<LockOutcome>;
  /** The holder of a lock, and when it expires; undefined where the lock is free or has expired. Changes nothing. */
  findLock(lock: LockName): Promise<StoredLock | undefined>;
  /** Releases a lock. False where there was no such lock. */
  releaseLock(lock: LockRelease): Promise<boolean>;

  /** Saves a checkpoint, in place of the one with the same id if there is one. */
  saveCheckpoint(sessionKey: number, checkpoint: StoredCheckpoint): Promise<void>;
  /** The checkpoints of a session, the newest first. */
  listCheckpoints(sessionKey: number, options?: ListCheckpointsOptions): Promise<readonly StoredCheckpoint[]>;
  /** Deletes a checkpoint. False where there was none. */
  deleteCheckpoint(sessionKey: number, checkpointId: string): Promise<boolean>;

  /** With saved states, an engine need not read a long session from its first record on. @default none: all records are read */
  readonly savedStates?: SavedStates;

  /** For operators; retention needs it. @default the store has none */
  readonly maintenance?: StoreMaintenance;

  /** Closes files and connections. The store cannot be used afterwards. */
  close(): Promise<void>;
}

/** A store with operations for operators. */
export interface MaintainedStore extends Store {
  readonly maintenance: StoreMaintenance;
}

export interface StoredSession {
  /** Never reused: a session that was deleted and created again has another key. */
  readonly key: number;
  readonly id: string;
  /** The number of its records. */
  readonly version: number;
  /** The version of the newest record with `isRewrite`; 0 where there is none. */
  readonly rewriteVersion: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewRecord {
  /** JSON, which comes back byte for byte. */
  readonly body: string;
  /** Whether it changes what earlier records say. @default false */
  readonly isRewrite?: boolean;
  /** The terms by which `search` finds the record: lower case, without white space. @default none */
  readonly terms?: readonly string[];
  /** Written in the same transaction. Where the session has a blob of this name already, that one stays: equal names are equal bytes. @default none */
  readonly blobs?: readonly StoredBlob[];
}

/** Bytes that records refer to by name, kept once per session. */
export interface StoredBlob {
  /** Derived from the bytes, such as a hash: equal names are equal bytes. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface StoredRecord {
  readonly version: number;
  readonly at: number;
  readonly body: string;
}

export interface AppendOptions {
  /** Append only if the session has exactly so many records. */
  readonly expectedVersion?: number;
  /** Append only if this is still the session's `rewriteVersion`: other writers may have added messages, but changed none. */
  readonly expectedRewriteVersion?: number;
  /**
   * When the call resolves. Records that are only visible become durable no later than those that are appended after them. A store may always
   * wait until they are durable. @default "durable"
   */
  readonly acknowledge?: Acknowledge;
}

/** When an append resolves: once its records are durable, or as soon as every reader sees them. */
export type Acknowledge = "durable" | "visible";

export type AppendOutcome =
  /** Appended; with the session's versions after it. */
  | { readonly type: "appended"; readonly version: number; readonly rewriteVersion: number }
  /** An expected version did not match: another writer was first. Nothing was added. */
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
  /** What is locked; for a message, its id. */
  readonly name: string;
  readonly holder: string;
  /** When it has expired, by the store's clock, anyone may take it. */
  readonly durationMs: number;
}

export type LockOutcome =
  | { readonly type: "acquired"; readonly expiresAt: number }
  | { readonly type: "held"; readonly holder: string; readonly expiresAt: number };

/** Identifies a lock. */
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
  /** Releases the lock only if this is its holder. @default any holder */
  readonly holder?: string;
}

/**
 * Keeps a snapshot of each session: the state that its records up to a version add up to. It is derived data: readers check it, and read
 * the records themselves where it is missing, old or damaged.
 */
export interface SavedStates {
  /** Replaces the state that was saved before, unless that has a newer version. Throws "not-found" where there is no such session. */
  save(sessionKey: number, state: StoredState): Promise<void>;
  /** The saved state; undefined where none was saved, or there is no such session. */
  read(sessionKey: number): Promise<StoredState | undefined>;
}

export interface StoredState {
  /** How many records it covers. */
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
