import { PalimpsestError } from "../../core/errors.ts";
import type { FoundRecord, SavedStates, Store, StoredState } from "../../core/ports/store.ts";
import {
  assertAppend,
  assertCheckpoint,
  assertLimit,
  assertLockName,
  assertLockRelease,
  assertLockRequest,
  assertName,
  assertRead,
  assertReadBlobs,
  assertSearch,
  assertSessionKey,
  assertState,
} from "../../core/store/assert-store-arguments.ts";
import { createMemoryLocks, type MemoryLocks } from "./memory-locks.ts";
import {
  appendRecords,
  createMemoryCheckpoints,
  createMemorySessions,
  describeSession,
  type MemoryCheckpoints,
  type MemorySession,
  type MemorySessions,
} from "./memory-sessions.ts";

export interface MemoryStoreOptions {
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

interface Memory {
  readonly sessions: MemorySessions;
  readonly locks: MemoryLocks;
  readonly checkpoints: MemoryCheckpoints;
  /** Saved states by session key. */
  readonly states: Map<number, StoredState>;
  readonly now: () => number;
  /** Throws once the store is closed. */
  readonly assertOpen: () => void;
}

/**
 * A store in memory, which ends with the process: for tests, and for agents that need no more.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { memoryStore } from "palimpsest/stores/memory";
 * const store = memoryStore();
 * await (await createEngine({ model: "gpt-4o", store }).session("task-42")).append({ role: "user", content: "Begin." });
 * const [again] = await createEngine({ model: "gpt-4o", store }).sessions();
 * console.log(again?.id); // task-42
 * ```
 */
export function memoryStore({ now = Date.now }: MemoryStoreOptions = {}): Store {
  let isClosed = false;
  const memory: Memory = {
    sessions: createMemorySessions(),
    locks: createMemoryLocks(),
    checkpoints: createMemoryCheckpoints(),
    states: new Map(),
    now,
    assertOpen() {
      if (isClosed)
        throw new PalimpsestError("store-failed", "The store is closed. Make a new one with memoryStore().");
    },
  };
  return {
    ...sessionMethods(memory),
    ...recordMethods(memory),
    ...lockMethods(memory),
    ...checkpointMethods(memory),
    savedStates: savedStates(memory),
    async close() {
      isClosed = true;
    },
  };
}

function sessionMethods({ sessions, locks, checkpoints, states, now, assertOpen }: Memory) {
  return {
    async open(sessionId) {
      assertOpen();
      assertName("sessionId", sessionId);
      return describeSession(sessions.open(sessionId, now()));
    },
    async find(sessionId) {
      assertOpen();
      assertName("sessionId", sessionId);
      const session = sessions.find(sessionId);
      return session && describeSession(session);
    },
    async list(options) {
      assertOpen();
      assertLimit(options);
      const { limit = 100 } = options ?? {};
      return sessions.all().toReversed().slice(0, limit).map(describeSession);
    },
    async delete(sessionId) {
      assertOpen();
      assertName("sessionId", sessionId);
      const session = sessions.find(sessionId);
      if (session === undefined) return false;
      sessions.delete(session);
      locks.forget(session.key);
      checkpoints.forget(session.key);
      states.delete(session.key);
      return true;
    },
  } satisfies Partial<Store>;
}

function recordMethods({ sessions, now, assertOpen }: Memory) {
  return {
    async append(sessionKey, records, options) {
      assertOpen();
      assertAppend(sessionKey, records, options);
      const session = sessions.at(sessionKey);
      if (session === undefined) return { type: "missing" };
      const outcome = appendRecords(session, records, { ...options, at: now() });
      if (outcome.type === "appended" && records.length > 0) sessions.touch(session);
      return outcome;
    },
    async read(sessionKey, options) {
      assertOpen();
      assertRead(sessionKey, options);
      const { afterVersion = 0, limit = Number.POSITIVE_INFINITY } = options ?? {};
      return sessions.assert(sessionKey).records.slice(afterVersion, afterVersion + limit);
    },
    async readBlobs(sessionKey, names) {
      assertOpen();
      assertReadBlobs(sessionKey, names);
      const { blobs } = sessions.assert(sessionKey);
      return [...new Set(names)].flatMap((name) => {
        const blob = blobs.get(name);
        return blob === undefined ? [] : [{ name, bytes: blob.bytes.slice() }];
      });
    },
    async search(terms, options) {
      assertOpen();
      assertSearch(terms, options);
      const { sessionKey, limit } = options ?? {};
      const searched = sessions.all().filter(({ key }) => sessionKey === undefined || key === sessionKey);
      return searchSessions(searched, terms).slice(0, limit);
    },
  } satisfies Partial<Store>;
}

function lockMethods({ sessions, locks, now, assertOpen }: Memory) {
  return {
    async acquireLock(lock) {
      assertOpen();
      assertLockRequest(lock);
      sessions.assert(lock.sessionKey);
      return locks.acquire(lock, now());
    },
    async findLock(lock) {
      assertOpen();
      assertLockName(lock);
      return locks.find(lock, now());
    },
    async releaseLock(lock) {
      assertOpen();
      assertLockRelease(lock);
      return locks.release(lock, now());
    },
  } satisfies Partial<Store>;
}

function checkpointMethods({ sessions, checkpoints, assertOpen }: Memory) {
  return {
    async saveCheckpoint(sessionKey, checkpoint) {
      assertOpen();
      assertCheckpoint(sessionKey, checkpoint);
      sessions.assert(sessionKey);
      checkpoints.save(sessionKey, checkpoint);
    },
    async listCheckpoints(sessionKey, options) {
      assertOpen();
      assertSessionKey(sessionKey);
      assertLimit(options);
      sessions.assert(sessionKey);
      return checkpoints.list(sessionKey).slice(0, options?.limit);
    },
    async deleteCheckpoint(sessionKey, checkpointId) {
      assertOpen();
      assertSessionKey(sessionKey);
      assertName("checkpointId", checkpointId);
      return checkpoints.delete(sessionKey, checkpointId);
    },
  } satisfies Partial<Store>;
}

function savedStates({ sessions, states, assertOpen }: Memory): SavedStates {
  return {
    async save(sessionKey, state) {
      assertOpen();
      assertState(sessionKey, state);
      sessions.assert(sessionKey);
      const { version, body } = state;
      if ((states.get(sessionKey)?.version ?? 0) <= version) states.set(sessionKey, Object.freeze({ version, body }));
    },
    async read(sessionKey) {
      assertOpen();
      assertSessionKey(sessionKey);
      return states.get(sessionKey);
    },
  };
}

/** The records with any of the terms, those with the most terms first. */
function searchSessions(sessions: Iterable<MemorySession>, terms: readonly string[]): FoundRecord[] {
  const distinctTerms = [...new Set(terms)];
  const found = [...sessions].flatMap((session) => searchSession(session, distinctTerms));
  return found.sort((a, b) => b.matches - a.matches || b.sessionKey - a.sessionKey || b.version - a.version);
}

function searchSession({ key, id, postings }: MemorySession, terms: readonly string[]): readonly FoundRecord[] {
  const matches = new Map<number, number>();
  for (const version of terms.flatMap((term) => postings.get(term) ?? [])) {
    matches.set(version, (matches.get(version) ?? 0) + 1);
  }
  return [...matches].map(([version, count]) => ({ sessionKey: key, sessionId: id, version, matches: count }));
}
