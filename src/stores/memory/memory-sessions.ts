import { PalimpsestError } from "../../core/errors.ts";
import type {
  AppendOptions,
  AppendOutcome,
  NewRecord,
  StoredBlob,
  StoredCheckpoint,
  StoredRecord,
  StoredSession,
} from "../../core/ports/store.ts";

/** All sessions, by id and by key. */
export interface MemorySessions {
  open(sessionId: string, at: number): MemorySession;
  find(sessionId: string): MemorySession | undefined;
  /** The session with this key; undefined where there is none. */
  at(sessionKey: number): MemorySession | undefined;
  /** The session with this key; throws "not-found" where there is none. */
  assert(sessionKey: number): MemorySession;
  /** In the order in which they were last written to. */
  all(): readonly MemorySession[];
  /** Moves a session to the end of that order. */
  touch(session: MemorySession): void;
  delete(session: MemorySession): void;
}

export function createMemorySessions(): MemorySessions {
  const byId = new Map<string, MemorySession>();
  const byKey = new Map<number, MemorySession>();
  let newestKey = 0;

  return {
    open(sessionId, at) {
      const existing = byId.get(sessionId);
      if (existing !== undefined) return existing;
      newestKey++;
      const session = createMemorySession(newestKey, sessionId, at);
      byId.set(sessionId, session);
      byKey.set(session.key, session);
      return session;
    },
    find: (sessionId) => byId.get(sessionId),
    at: (sessionKey) => byKey.get(sessionKey),
    assert(sessionKey) {
      const session = byKey.get(sessionKey);
      if (session !== undefined) return session;
      throw new PalimpsestError(
        "not-found",
        `No session has the key ${sessionKey}: it was deleted. Open it anew by its id.`,
      );
    },
    all: () => [...byId.values()],
    touch(session) {
      byId.delete(session.id);
      byId.set(session.id, session);
    },
    delete(session) {
      byId.delete(session.id);
      byKey.delete(session.key);
    },
  };
}

/** One session with its records and blobs. */
export interface MemorySession {
  readonly key: number;
  readonly id: string;
  readonly createdAt: number;
  updatedAt: number;
  rewriteVersion: number;
  readonly records: StoredRecord[];
  /** For each term, the versions of the records that have it, ascending. */
  readonly postings: Map<string, number[]>;
  readonly blobs: Map<string, StoredBlob>;
}

export function createMemorySession(key: number, id: string, at: number): MemorySession {
  return {
    key,
    id,
    createdAt: at,
    updatedAt: at,
    rewriteVersion: 0,
    records: [],
    postings: new Map(),
    blobs: new Map(),
  };
}

export function describeSession(session: MemorySession): StoredSession {
  const { key, id, records, rewriteVersion, createdAt, updatedAt } = session;
  return { key, id, version: records.length, rewriteVersion, createdAt, updatedAt };
}

/** Adds the records, unless an expected version does not match. */
export function appendRecords(
  session: MemorySession,
  records: readonly NewRecord[],
  { expectedVersion, expectedRewriteVersion, at }: AppendOptions & { readonly at: number },
): Exclude<AppendOutcome, { readonly type: "missing" }> {
  const isExpected =
    (expectedVersion ?? session.records.length) === session.records.length &&
    (expectedRewriteVersion ?? session.rewriteVersion) === session.rewriteVersion;
  if (isExpected) for (const record of records) addRecord(session, record, at);
  const { version, rewriteVersion } = describeSession(session);
  return { type: isExpected ? "appended" : "conflict", version, rewriteVersion };
}

function addRecord(session: MemorySession, record: NewRecord, at: number): void {
  const { body, isRewrite = false, terms = [], blobs = [] } = record;
  const version = session.records.push(Object.freeze({ version: session.records.length + 1, at, body }));
  session.updatedAt = at;
  if (isRewrite) session.rewriteVersion = version;
  for (const term of new Set(terms)) {
    const versions = session.postings.get(term);
    if (versions === undefined) session.postings.set(term, [version]);
    else versions.push(version);
  }
  for (const { name, bytes } of blobs) {
    if (!session.blobs.has(name)) session.blobs.set(name, { name, bytes: bytes.slice() });
  }
}

/** The checkpoints of all sessions. */
export interface MemoryCheckpoints {
  save(sessionKey: number, checkpoint: StoredCheckpoint): void;
  /** The newest first. */
  list(sessionKey: number): readonly StoredCheckpoint[];
  delete(sessionKey: number, checkpointId: string): boolean;
  forget(sessionKey: number): void;
}

export function createMemoryCheckpoints(): MemoryCheckpoints {
  const checkpointsOf = new Map<number, Map<string, StoredCheckpoint>>();

  return {
    save(sessionKey, { id, at, body }) {
      const checkpoints = checkpointsOf.get(sessionKey) ?? new Map<string, StoredCheckpoint>();
      // Deleted first, so that the map's order is the order of saving.
      checkpoints.delete(id);
      checkpointsOf.set(sessionKey, checkpoints.set(id, Object.freeze({ id, at, body })));
    },
    list(sessionKey) {
      const checkpoints = [...(checkpointsOf.get(sessionKey)?.values() ?? [])];
      return checkpoints.reverse().sort((a, b) => b.at - a.at);
    },
    delete(sessionKey, checkpointId) {
      return checkpointsOf.get(sessionKey)?.delete(checkpointId) ?? false;
    },
    forget(sessionKey) {
      checkpointsOf.delete(sessionKey);
    },
  };
}
