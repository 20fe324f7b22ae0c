import { setTimeout as delay } from "node:timers/promises";
import type { Client, Pool, PoolClient } from "pg";
import { PalimpsestError } from "../../core/errors.ts";
import { isPackageMissing } from "../../core/missing-package.ts";
import { describeFailure, isConnectionLoss, isServerError, isTransient, type Target } from "./describe-failure.ts";

/** A pool of connections that turns every failure into a PalimpsestError. */
export interface ConnectionPool {
  /**
   * Runs work on a connection of its own. Retries it after a deadlock or a serialization failure and, where it only reads, after the
   * connection broke. A broken connection is closed.
   */
  use<Value>(kind: "reading" | "writing", work: (client: PoolClient) => Promise<Value>): Promise<Value>;
  /** Closes all connections. May be called only when none is in use. */
  end(): Promise<void>;
}

export interface ConnectionPoolOptions {
  readonly connectionString: string;
  readonly maxConnections: number;
  readonly restartMs: number;
}

const MAX_ATTEMPTS = 5;
const RETRY_DELAY_MS = 20;
const RESTART_PAUSE_MS = 50;
const CONNECTION_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

export async function openPool(options: ConnectionPoolOptions): Promise<ConnectionPool> {
  const driver = await loadDriver();
  const target = readTarget(driver, options.connectionString);
  const pool = createPool(driver, options);
  const prepared = new WeakSet<PoolClient>();

  /** Takes a connection, and waits for a server that is starting: nothing was sent yet, so that any call may wait. */
  async function borrow(): Promise<PoolClient> {
    const deadline = performance.now() + options.restartMs;
    for (;;) {
      try {
        return await borrowOnce();
      } catch (error) {
        if (!isStarting(error) || performance.now() >= deadline)
          throw describeFailure(explainTimeout(error), "connecting", target);
      }
      await delay(RESTART_PAUSE_MS);
    }
  }

  async function borrowOnce(): Promise<PoolClient> {
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      if (!prepared.has(client)) await prepareConnection(client);
      prepared.add(client);
      return client;
    } catch (error) {
      client?.release(true);
      throw error;
    }
  }

  async function useOnce<Value>(work: (client: PoolClient) => Promise<Value>): Promise<Value> {
    const client = await borrow();
    let isBroken = false;
    try {
      return await work(client);
    } catch (error) {
      isBroken = isConnectionLoss(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  return {
    async use(kind, work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await useOnce(work);
        } catch (error) {
          const canRetry = isTransient(error) || (kind === "reading" && isConnectionLoss(error));
          if (!canRetry || attempt === MAX_ATTEMPTS) throw describeFailure(error, kind, target);
        }
        await delay(RETRY_DELAY_MS * attempt);
      }
    },
    end: () => pool.end(),
  };
}

/** Whether the connection was refused, or the server is starting up or shutting down. */
function isStarting(error: unknown): boolean {
  if (isServerError(error)) return error.code === "57P03" || error.code === "57P01";
  const errors = error instanceof AggregateError ? error.errors : [error];
  return errors.some((each) => each instanceof Error && "code" in each && each.code === "ECONNREFUSED");
}

function createPool(driver: Driver, { connectionString, maxConnections }: ConnectionPoolOptions): Pool {
  const pool = new driver.Pool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    // an idle store must not keep a program from ending
    allowExitOnIdle: true,
    application_name: "palimpsest",
  });
  // Without listeners, a connection that breaks would end the process. The pool drops it; a running statement fails by itself.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/**
 * Makes a connection durable and predictable whatever the server's defaults are: a commit is on disk before it is acknowledged
 * (stricter settings stay), and no statement is compiled just in time, which costs more than it saves.
 */
async function prepareConnection(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `SELECT set_config('default_transaction_isolation', 'read committed', false),
            set_config('jit', 'off', false),
            set_config('synchronous_commit', CASE durability WHEN 'off' THEN 'on' ELSE durability END, false),
            current_setting('server_encoding') AS encoding
     FROM current_setting('synchronous_commit') AS durability`,
  );
  const encoding = rows[0]?.encoding;
  if (encoding === "UTF8") return;
  throw new PalimpsestError(
    "store-failed",
    `The database's encoding is ${encoding}, which cannot hold every text. Create one with ENCODING 'UTF8' and use that.`,
  );
}

function readTarget(driver: Driver, connectionString: string): Target {
  let client: Client;
  try {
    client = new driver.Client({ connectionString });
  } catch {
    // the driver's error message contains the whole string, and so the password
    throw new PalimpsestError(
      "invalid-argument",
      "connectionString cannot be read; it must look like postgres://user:password@host:5432/database.",
    );
  }
  const { host, port, user = "", database = "", password } = client;
  return { address: host.startsWith("/") ? host : `${host}:${port}`, user, database, password };
}

function explainTimeout(error: unknown): unknown {
  const isQueueTimeout = error instanceof Error && error.message === "timeout exceeded when trying to connect";
  if (!isQueueTimeout) return error;
  return new PalimpsestError(
    "store-failed",
    `No connection to PostgreSQL became free within ${CONNECTION_TIMEOUT_MS / 1_000} s, and nothing was written. Raise ` +
      "maxConnections, or look for statements that wait for a lock.",
  );
}

type Driver = typeof import("pg")["default"];

/** Loads the `pg` package; throws "missing-package" where it is not installed. */
async function loadDriver(): Promise<Driver> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw isPackageMissing("pg", error)
      ? new PalimpsestError("missing-package", "pg is not installed. Run: npm install pg@8")
      : error;
  }
}
