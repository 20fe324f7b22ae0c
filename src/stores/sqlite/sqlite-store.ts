import { resolve } from "node:path";
import { assert, assertFunction, assertNumber } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { MaintainedStore, NewRecord, SavedStates, Store, StoredSession } from "../../core/ports/store.ts";
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
import { removeCheckpoint, replaceCheckpoint, selectCheckpoints } from "./checkpoints.ts";
import { type Connection, createConnection } from "./connection.ts";
import { defaultDatabasePath } from "./default-database-path.ts";
import { dropLock, readLock, takeLock } from "./locks.ts";
import { sqliteMaintenance } from "./maintenance.ts";
import { createNewestVersions, type NewestVersions } from "./newest-versions.ts";
import type { Database } from "./open-database.ts";
import { insertRecords, selectBlobs, selectRecords } from "./records.ts";
import { replaceState, selectState } from "./saved-states.ts";
import { searchRecords } from "./search-records.ts";
import { deleteSession, findSession, insertSession, listSessions, sessionAt, updateSession } from "./sessions.ts";

export interface SqliteStoreOptions {
  /** The database file, which is made, with its folders, where there is none. @default defaultDatabasePath() */
  readonly path?: string;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** How long to wait for other processes that write. @default 10_000 */
  readonly busyTimeoutMs?: number;
}

/** The clock of the store, in whole milliseconds. */
type Clock = () => number;

/**
 * A store in a file, shared by any number of processes of one machine. The file is opened at the first use; a call
 * resolves when what it wrote is on the disk.
 * @example
 * ```ts
 * import { mkdtemp } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { createEngine } from "palimpsest";
 * import { sqliteStore } from "palimpsest/stores/sqlite";
 * const store = sqliteStore({ path: join(await mkdtemp(join(tmpdir(), "agents-")), "sessions.db") });
 * const session = await createEngine({ model: "gpt-4o", store }).session("task-42");
 * await session.append({ role: "user", content: "Begin." });
 * console.log((await session.log()).length); // 1
 * await store.close();
 * ```
 */
export function sqliteStore(options: SqliteStoreOptions = {}): MaintainedStore {
  const { path = defaultDatabasePath(), now = Date.now, busyTimeoutMs = 10_000 } = options;
  const isPath = typeof path === "string" && path !== "" && path !== ":memory:" && !path.includes("\0");
  assert(isPath, "path", path, "the path of a file; memoryStore() needs none");
  assertFunction("now", now);
  assertNumber("busyTimeoutMs", busyTimeoutMs, 0);
  const connection = createConnection({ path: resolve(path), busyTimeoutMs });
  const clock = () => Math.trunc(now());
  const newest = createNewestVersions();
  return {
    ...sessionMethods(connection, clock, newest),
    ...recordMethods(connection, clock, newest),
    ...lockMethods(connection, clock),
    ...checkpointMethods(connection),
    savedStates: savedStates(connection),
    maintenance: sqliteMaintenance({ path: resolve(path), connection, clock, newest }),
    close: () => connection.close(),
  };
}

function sessionMethods({ read, write }: Connection, clock: Clock, newest: NewestVersions) {
  return {
    async open(sessionId) {
      assertName("sessionId", sessionId);
      const existing = await read((database) => findSession(database, sessionId));
      if (existing !== undefined) return existing;
      return write((database) => findSession(database, sessionId) ?? insertSession(database, sessionId, clock()));
    },
    async find(sessionId) {
      assertName("sessionId", sessionId);
      return read((database) => findSession(database, sessionId));
    },
    async list(options) {
      assertLimit(options);
      const { limit = 100 } = options ?? {};
      return read((database) => listSessions(database, limit));
    },
    async delete(sessionId) {
      assertName("sessionId", sessionId);
      return write((database) => {
        newest.forgetAll();
        return deleteSession(database, sessionId);
      });
    },
  } satisfies Partial<Store>;
}

function recordMethods({ alone, read, write }: Connection, clock: Clock, newest: NewestVersions) {
  return {
    async append(sessionKey, given, options) {
      assertAppend(sessionKey, given, options);
      const records = given.map(copyRecord);
      const { expectedVersion, expectedRewriteVersion, acknowledge } = options ?? {};
      return write((database) => {
        const session = sessionAt(database, sessionKey);
        if (session === undefined) return { type: "missing" };
        const { version, rewriteVersion } = session;
        const isExpected =
          (expectedVersion ?? version) === version && (expectedRewriteVersion ?? rewriteVersion) === rewriteVersion;
        if (!isExpected || records.length === 0) {
          return { type: isExpected ? "appended" : "conflict", version, rewriteVersion };
        }
        const grown = insertRecords(database, session, { records, at: clock() });
        updateSession(database, grown);
        newest.note(sessionKey, grown.version);
        return { type: "appended", version: grown.version, rewriteVersion: grown.rewriteVersion };
      }, acknowledge);
    },
    async read(sessionKey, options) {
      assertRead(sessionKey, options);
      const copied = { ...options };
      const hasAll = (database: Database) => newest.isNewest(database, sessionKey, copied.afterVersion ?? 0);
      // Most who ask have everything: for them one statement does instead of three.
      if (await alone(hasAll)) return [];
      return read((database) => {
        if (hasAll(database)) return [];
        const session = assertSession(database, sessionKey);
        newest.note(sessionKey, session.version);
        return selectRecords(database, session, copied);
      });
    },
    async readBlobs(sessionKey, names) {
      assertReadBlobs(sessionKey, names);
      const asked = [...names];
      return read((database) => {
        assertSession(database, sessionKey);
        return selectBlobs(database, sessionKey, asked);
      });
    },
    async search(terms, options) {
      assertSearch(terms, options);
      const [askedTerms, copied] = [[...terms], { ...options }];
      return read((database) => {
        const { sessionKey } = copied;
        const isNowhere = sessionKey !== undefined && sessionAt(database, sessionKey) === undefined;
        return isNowhere ? [] : searchRecords(database, askedTerms, copied);
      });
    },
  } satisfies Partial<Store>;
}

function lockMethods({ read, write }: Connection, clock: Clock) {
  return {
    async acquireLock(lock) {
      assertLockRequest(lock);
      const request = { ...lock };
      return write((database) => {
        assertSession(database, request.sessionKey);
        return takeLock(database, request, clock());
      });
    },
    async findLock(lock) {
      assertLockName(lock);
      const asked = { ...lock };
      return read((database) => readLock(database, asked, clock()));
    },
    async releaseLock(lock) {
      assertLockRelease(lock);
      const release = { ...lock };
      return write((database) => dropLock(database, release, clock()));
    },
  } satisfies Partial<Store>;
}

function checkpointMethods({ read, write }: Connection) {
  return {
    async saveCheckpoint(sessionKey, checkpoint) {
      assertCheckpoint(sessionKey, checkpoint);
      const copied = { ...checkpoint };
      return write((database) => {
        assertSession(database, sessionKey);
        replaceCheckpoint(database, sessionKey, copied);
      });
    },
    async listCheckpoints(sessionKey, options) {
      assertSessionKey(sessionKey);
      assertLimit(options);
      const limit = options?.limit;
      return read((database) => {
        return selectCheckpoints(database, assertSession(database, sessionKey), limit);
      });
    },
    async deleteCheckpoint(sessionKey, checkpointId) {
      assertSessionKey(sessionKey);
      assertName("checkpointId", checkpointId);
      return write((database) => removeCheckpoint(database, sessionKey, checkpointId));
    },
  } satisfies Partial<Store>;
}

function savedStates({ read, write }: Connection): SavedStates {
  return {
    async save(sessionKey, state) {
      assertState(sessionKey, state);
      const copied = { ...state };
      return write((database) => {
        assertSession(database, sessionKey);
        replaceState(database, sessionKey, copied);
      });
    },
    async read(sessionKey) {
      assertSessionKey(sessionKey);
      return read((database) => selectState(database, sessionKey));
    },
  };
}

/** A call that waits for other processes must not see what its caller does to the arguments meanwhile. */
function copyRecord({ body, isRewrite = false, terms = [], blobs = [] }: NewRecord): NewRecord {
  return {
    body,
    isRewrite,
    terms: [...terms],
    blobs: blobs.map(({ name, bytes }) => ({ name, bytes: bytes.slice() })),
  };
}

function assertSession(database: Database, sessionKey: number): StoredSession {
  const session = sessionAt(database, sessionKey);
  if (session !== undefined) return session;
  throw new PalimpsestError(
    "not-found",
    `No session has the key ${sessionKey}: it was deleted. Open it anew by its id.`,
  );
}
