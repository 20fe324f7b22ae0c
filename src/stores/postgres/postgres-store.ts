import { assert, assertObject } from "../../core/assert.ts";
import type { Store } from "../../core/ports/store.ts";
import { appendOperation } from "./append.ts";
import { checkpointOperations } from "./checkpoints.ts";
import { openDatabase } from "./database.ts";
import { lockOperations } from "./locks.ts";
import { readOperation } from "./read.ts";
import { assertSchemaName, quoteName } from "./schema-name.ts";
import { searchOperation } from "./search.ts";
import { sessionOperations } from "./sessions.ts";
import type { StatementContext } from "./statement-context.ts";

export interface PostgresStoreOptions {
  /** As in `postgres://user:password@host:5432/database`. Its password is in no message of ours. */
  readonly connectionString: string;
  /** What holds the tables; made where there is none. @default "palimpsest" */
  readonly schema?: string;
  /** The most connections that are open at once. @default 10 */
  readonly maxConnections?: number;
}

const DEFAULT_SCHEMA = "palimpsest";
const DEFAULT_MAX_CONNECTIONS = 10;

/**
 * Keeps sessions in PostgreSQL 14 or newer, for any number of processes and machines at once. Connects and makes its tables
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
export function postgresStore(options: PostgresStoreOptions): Store {
  assertObject("options", options);
  const { connectionString, schema = DEFAULT_SCHEMA, maxConnections = DEFAULT_MAX_CONNECTIONS } = options;
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

  const database = openDatabase({ connectionString, schema, maxConnections });
  const table: StatementContext["table"] = (name) => `${quoteName(schema)}.${name}`;
  const context = { database, table };
  return {
    ...sessionOperations(context),
    ...appendOperation(context),
    ...readOperation(context),
    ...searchOperation(context),
    ...lockOperations(context),
    ...checkpointOperations(context),
    close: () => database.close(),
  };
}
