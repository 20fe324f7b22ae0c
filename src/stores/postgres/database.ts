import type { PoolClient, QueryResultRow } from "pg";
import { PalimpsestError } from "../../core/errors.ts";
import { type ConnectionPool, type ConnectionPoolOptions, openPool } from "./connection-pool.ts";
import { migrate } from "./migrate.ts";
import { inTransaction } from "./transaction.ts";

/** Runs statements on a database whose tables are there. Every failure is a PalimpsestError. */
export interface Database {
  /** Runs a statement that changes nothing. */
  readonly read: RunStatement;
  /** Runs a statement that stands alone: all of it happens, or none. */
  readonly write: RunStatement;
  /** Runs several statements: all of them happen, or none. */
  transaction<Value>(work: (run: RunStatement) => Promise<Value>): Promise<Value>;
  /** Waits for what is under way. Nothing can be run afterwards. */
  close(): Promise<void>;
}

export type RunStatement = <Row extends QueryResultRow>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/** The server reads and plans the text once for each connection, and knows it by its name from then on. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface DatabaseOptions extends ConnectionPoolOptions {
  readonly schema: string;
}

/** Connects, and brings the tables up to date, when it is first used. */
export function openDatabase(options: DatabaseOptions): Database {
  let opening: Promise<ConnectionPool> | undefined;
  let closing: Promise<void> | undefined;
  const underWay = new Set<Promise<unknown>>();

  async function run<Value>(kind: "reading" | "writing", work: (client: PoolClient) => Promise<Value>): Promise<Value> {
    if (closing !== undefined) throw new PalimpsestError("store-failed", "The store is closed. Open another one.");
    opening ??= openMigrated(options).catch((error: unknown) => {
      // the next call tries again: the server may be up by then
      opening = undefined;
      throw error;
    });
    const running = opening.then((pool) => pool.use(kind, work));
    underWay.add(running);
    return running.finally(() => underWay.delete(running));
  }

  async function close(): Promise<void> {
    await Promise.allSettled(underWay);
    await (await opening)?.end();
  }

  return {
    read: (statement, values) => run("reading", (client) => runStatement(client, statement, values)),
    write: (statement, values) => run("writing", (client) => runStatement(client, statement, values)),
    transaction: (work) =>
      run("writing", (client) =>
        inTransaction(client, () => work((statement, values) => runStatement(client, statement, values))),
      ),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

async function openMigrated(options: DatabaseOptions): Promise<ConnectionPool> {
  const pool = await openPool(options);
  try {
    await pool.use("writing", (client) => migrate(client, options.schema));
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function runStatement<Row extends QueryResultRow>(
  client: PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({ name, text, values: [...values] });
  return rows;
}
