import { assert, assertNumber, assertObject, assertOptionNames } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { MaintainedStore, Store } from "../../core/ports/store.ts";
import {
  assertLockName,
  assertLockRelease,
  assertLockRequest,
  assertSearch,
} from "../../core/store/assert-store-arguments.ts";
import { appendOperation } from "./append.ts";
import { checkpointOperations } from "./checkpoints.ts";
import { openDatabase } from "./database.ts";
import { termQueries } from "./lexemes.ts";
import { postgresMaintenance } from "./maintenance.ts";
import { readOperation } from "./read.ts";
import { assertSchemaName, quoteName } from "./schema-name.ts";
import { savedStateOperations, sessionOperations } from "./sessions.ts";
import { NOW_MS_SQL, noSession, type StatementContext } from "./statement-context.ts";

export interface PostgresStoreOptions {
  /** As in `postgres://user:password@host:5432/database`. The password never appears in our error messages. */
  readonly connectionString: string;
  /** The schema of the tables; created where there is none. @default "palimpsest" */
  readonly schema?: string;
  /** The most connections that are open at once. @default 10 */
  readonly maxConnections?: number;
  /** How long a call waits for a server that accepts no connections, such as one that is restarting. @default 0 */
  readonly restartMs?: number;
}

const OPTIONS = { connectionString: true, schema: true, maxConnections: true, restartMs: true } as const;
const DEFAULT_SCHEMA = "palimpsest";
const DEFAULT_MAX_CONNECTIONS = 10;

/**
 * Keeps sessions in PostgreSQL 14 or newer, for any number of processes and machines at once. Connects and creates its tables
 * when it is first used. Needs the package `pg`.
 * @example
 * ```ts
 * import { createEngine } from "palimpsest";
 * import { postgresStore } from "palimpsest/stores/postgres";
 * const store = postgresStore({ connectionString: process.env.DATABASE_URL ?? "postgres://localhost/agents" });
 * const session = await createEngine({ model: "gpt-4o", store }).session("task-42");
 * await session.append({ role: "user", content: "Begin." });
 * console.log((await session.log()).length); // 1
 * await store.close();
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): MaintainedStore {
  if (typeof options === "string") {
    // It is not shown: it may have a password.
    throw new PalimpsestError("invalid-argument", "options is a string; it must be an object: { connectionString }.");
  }
  assertObject("options", options);
  assertOptionNames("options", options, OPTIONS);
  const {
    connectionString,
    schema = DEFAULT_SCHEMA,
    maxConnections = DEFAULT_MAX_CONNECTIONS,
    restartMs = 0,
  } = options;
  const isText = typeof connectionString === "string" && connectionString !== "";
  assert(
    isText,
    "connectionString",
    typeof connectionString,
    "a text like postgres://user:password@host:5432/database",
  );
  assertSchemaName(schema);
  const isCount = Number.isSafeInteger(maxConnections) && maxConnections >= 1;
  assert(isCount, "maxConnections", maxConnections, "a whole number of at least 1");

  assertNumber("restartMs", restartMs, 0);

  const database = openDatabase({ connectionString, schema, maxConnections, restartMs });
  const table: StatementContext["table"] = (name) => `${quoteName(schema)}.${name}`;
  const context = { database, table };
  return {
    ...sessionOperations(context),
    ...appendOperation(context),
    ...readOperation(context),
    ...searchOperation(context),
    ...lockOperations(context),
    ...checkpointOperations(context),
    savedStates: savedStateOperations(context),
    maintenance: postgresMaintenance(context, schema),
    close: () => database.close(),
  };
}

interface FoundRow {
  readonly session_key: string;
  readonly session_id: string;
  readonly version: string;
  readonly matches: number;
}

function searchOperation({ database, table }: StatementContext): Pick<Store, "search"> {
  // The index is searched once for each term: a record is found once for each term that it has.
  const text = (condition: string) => `
      SELECT found.*, sessions.id AS session_id FROM (
        SELECT session_key, version, count(*)::integer AS matches
        FROM unnest($1::text[]) AS wanted JOIN ${table("record_terms")} ON lexemes @@ wanted::tsquery ${condition}
        GROUP BY session_key, version
        ORDER BY matches DESC, session_key DESC, version DESC
        LIMIT $2
      ) AS found JOIN ${table("sessions")} AS sessions ON sessions.key = found.session_key
      ORDER BY found.matches DESC, found.session_key DESC, found.version DESC`;
  const searchAll = { name: "search", text: text("") };
  // the session key limits the search to one partition
  const searchSession = { name: "search-session", text: text("AND session_key = $3") };

  return {
    async search(terms, options) {
      assertSearch(terms, options);
      const { sessionKey, limit } = options ?? {};
      const queries = termQueries(terms, sessionKey);
      const rows = await (sessionKey === undefined
        ? database.read<FoundRow>(searchAll, [queries, limit])
        : database.read<FoundRow>(searchSession, [queries, limit, sessionKey]));
      return rows.map(({ session_key, session_id, version, matches }) => ({
        sessionKey: Number(session_key),
        sessionId: session_id,
        version: Number(version),
        matches,
      }));
    },
  };
}

interface LockRow {
  readonly holder: string;
  readonly expires_at: string;
}

function lockOperations({
  database,
  table,
}: StatementContext): Pick<Store, "acquireLock" | "findLock" | "releaseLock"> {
  const locks = table("locks");
  const acquire = {
    name: "acquire-lock",
    // Returns the row as it is afterwards, whoever holds the lock, so that outcome and holder always match.
    text: `
      INSERT INTO ${locks} AS held (session_key, name, holder, expires_at)
      SELECT key, $2, $3, ${NOW_MS_SQL} + $4::bigint FROM ${table("sessions")} WHERE key = $1 FOR KEY SHARE
      ON CONFLICT (session_key, name) DO UPDATE SET (holder, expires_at) = (
        SELECT holder, expires_at
        FROM (VALUES (held.holder, held.expires_at, 1), (excluded.holder, excluded.expires_at, 2)) AS claim (holder, expires_at, rank)
        WHERE rank = CASE
          WHEN held.holder <> excluded.holder AND held.expires_at > excluded.expires_at - $4::bigint THEN 1 ELSE 2
        END
      )
      RETURNING holder, expires_at`,
  };
  const find = {
    name: "find-lock",
    text: `
      SELECT holder, expires_at FROM ${locks} WHERE session_key = $1 AND name = $2 AND expires_at > ${NOW_MS_SQL}`,
  };
  const release = {
    name: "release-lock",
    text: `
      DELETE FROM ${locks} WHERE session_key = $1 AND name = $2 AND holder = coalesce($3, holder)
      RETURNING expires_at > ${NOW_MS_SQL} AS was_held`,
  };

  return {
    async acquireLock(lock) {
      assertLockRequest(lock);
      const { sessionKey, name, holder, durationMs } = lock;
      const [row] = await database.write<LockRow>(acquire, [sessionKey, name, holder, durationMs]);
      if (row === undefined) throw noSession(sessionKey);
      const expiresAt = Number(row.expires_at);
      return row.holder === holder ? { type: "acquired", expiresAt } : { type: "held", holder: row.holder, expiresAt };
    },

    async findLock(lock) {
      assertLockName(lock);
      const [row] = await database.read<LockRow>(find, [lock.sessionKey, lock.name]);
      return row && { holder: row.holder, expiresAt: Number(row.expires_at) };
    },

    async releaseLock(lock) {
      assertLockRelease(lock);
      const { sessionKey, name, holder } = lock;
      const [row] = await database.write<{ readonly was_held: boolean }>(release, [sessionKey, name, holder]);
      return row?.was_held ?? false;
    },
  };
}
