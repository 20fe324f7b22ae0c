import { resolve } from "node:path";
import { assert, assertFunction, assertNumber, assertOptionNames } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type {
  AppendOutcome,
  MaintainedStore,
  NewRecord,
  SavedStates,
  Store,
  StoredBlob,
  StoredSession,
} from "../../core/ports/store.ts";
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
import { insertBlobs, insertRecords, selectBlobs, selectRecords } from "./records.ts";
import { searchRecords } from "./search-records.ts";
import {
  deleteSession,
  findSession,
  insertSession,
  listSessions,
  replaceState,
  selectState,
  sessionAt,
  updateSession,
} from "./sessions.ts";

export interface SqliteStoreOptions {
  /** The database file, which is created, with its folders, where there is none. @default defaultDatabasePath() */
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
 * resolves when its writes are on the disk.
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
  assert(
    typeof options === "object" && options !== null,
    "options",
    options,
    'an object, such as { path: "sessions.db" }',
  );
  // With a mistyped path, the sessions would go to the default database.
  assertOptionNames("options", options, { path: true, now: true, busyTimeoutMs: true });
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

function recordMethods({ alone, read, write, writeInParts }: Connection, clock: Clock, newest: NewestVersions) {
  return {
    async append(sessionKey, given, options) {
      assertAppend(sessionKey, given, options);
      const { ahead, records } = splitBlobs(given.map(copyRecord));
      const { expectedVersion, expectedRewriteVersion, acknowledge } = options ?? {};
      const appendRecords = () =>
        write((database): AppendOutcome => {
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
      if (ahead.length === 0) return appendRecords();
      return writeInParts(async () => {
        for (const blobs of ahead) {
          await write((database) => {
            if (sessionAt(database, sessionKey) !== undefined) insertBlobs(database, sessionKey, blobs);
          }, "visible");
        }
        return appendRecords();
      });
    },
    async read(sessionKey, options) {
      assertRead(sessionKey, options);
      const copied = { ...options };
      const hasAll = (database: Database) => newest.isNewest(database, sessionKey, copied.afterVersion ?? 0);
      // Most callers have all records: for them, one statement is enough instead of three.
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

/** Copies a record, because a caller may change its arguments while a call waits for other processes. */
function copyRecord({ body, isRewrite = false, terms = [], blobs = [] }: NewRecord): NewRecord {
  return { body, isRewrite, terms: [...terms], blobs: blobs.length === 0 ? [] : copyBlobs(blobs) };
}

/** All in one piece of memory: one for each would take several times as long. */
function copyBlobs(blobs: readonly StoredBlob[]): readonly StoredBlob[] {
  const memory = new Uint8Array(blobs.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let start = 0;
  return blobs.map(({ name, bytes }) => {
    const copy = memory.subarray(start, start + bytes.length);
    copy.set(bytes);
    start += bytes.length;
    return { name, bytes: copy };
  });
}

/** So many blobs are inserted in one transaction, or so many bytes of them: some milliseconds. */
const MOST_BLOBS = 512;
const MOST_BLOB_BYTES = 1024 ** 2;

interface SplitBlobs {
  readonly ahead: readonly (readonly StoredBlob[])[];
  readonly records: readonly NewRecord[];
}

/**
 * Many blobs are written before their records, part by part, as they would hold up others in one transaction with them. Where the record is refused
 * then, its session has some that nothing names; a record never names one that is missing.
 */
function splitBlobs(records: readonly NewRecord[]): SplitBlobs {
  const ahead = [...wholeParts(records)];
  if (ahead.length === 0) return { ahead, records };
  const written = new Set(ahead.flat());
  const withRest = ({ blobs = [], ...record }: NewRecord) => ({
    ...record,
    blobs: blobs.filter((blob) => !written.has(blob)),
  });
  return { ahead, records: records.map(withRest) };
}

function* wholeParts(records: readonly NewRecord[]): Generator<readonly StoredBlob[]> {
  let part: StoredBlob[] = [];
  let bytes = 0;
  for (const { blobs = [] } of records) {
    for (const blob of blobs) {
      part.push(blob);
      bytes += blob.bytes.length;
      if (part.length < MOST_BLOBS && bytes < MOST_BLOB_BYTES) continue;
      yield part;
      part = [];
      bytes = 0;
    }
  }
}

function assertSession(database: Database, sessionKey: number): StoredSession {
  const session = sessionAt(database, sessionKey);
  if (session !== undefined) return session;
  throw new PalimpsestError(
    "not-found",
    `No session has the key ${sessionKey}: it was deleted. Open it anew by its id.`,
  );
}
