import { setTimeout as delay } from "node:timers/promises";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { type Database, openDatabase } from "./open-database.ts";
import { type FailurePlace, failed, isBusy, toStoreError } from "./store-error.ts";
import { createLogSync, type LogSync } from "./sync-log.ts";
import { inTransaction } from "./transaction.ts";

const LONGEST_PAUSE_MS = 15;

/** A connection to the file, which is opened at the first use. */
export interface Connection {
  /** Runs `work` in a transaction that only reads. */
  read<Result>(work: (database: Database) => Result): Promise<Result>;
  write: GroupCommit["write"];
  /** Runs `work` outside of any transaction: for operations on the whole file, such as VACUUM, and for a single statement, which needs none. */
  alone<Result>(work: (database: Database) => Result): Promise<Result>;
  /** Runs a task of several writes, one after the other. `close` waits for it. */
  writeInParts<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Commits the queued writes, unless another process has the database locked, then closes the file. */
  close(): Promise<void>;
}

export function createConnection(place: FailurePlace, log: LogSync = createLogSync(place.path)): Connection {
  let database: Database | undefined;
  let closing: Promise<void> | undefined;
  const tasks = new Set<Promise<unknown>>();
  const opened = () => {
    if (closing !== undefined) throw failed("The store is closed", "Make a new one with sqliteStore()");
    database ??= openDatabase(place.path);
    return database;
  };
  const sync = createRepairingSync(log, () => database);
  const { write, flush } = createGroupCommit({ place, open: opened, sync, pauseMs });

  async function closeNow(): Promise<void> {
    if (database === undefined) return;
    // A failure is reported to the callers of the writes.
    await sync().catch(() => undefined);
    log.close();
    database.heads.close();
    database.connection.close();
    database = undefined;
  }

  return {
    write,
    read: (work) => retryWhileBusy(place, () => readFrom(opened(), work)),
    alone: (work) => retryWhileBusy(place, () => work(opened())),
    writeInParts(task) {
      const running = task();
      tasks.add(running);
      const end = () => void tasks.delete(running);
      running.then(end, end);
      return running;
    },
    async close() {
      if (tasks.size > 0) await Promise.allSettled(tasks);
      if (closing === undefined) flush();
      closing ??= closeNow();
      return closing;
    },
  };
}

/**
 * Syncs the log, and repairs it after a failed sync: the system may have dropped the pages that it failed to write, so that the next sync would
 * succeed with a gap in the log, and everything behind the gap would be lost. So the log is first written into the database file.
 */
function createRepairingSync({ sync }: LogSync, database: () => Database | undefined): () => Promise<void> {
  let failures = 0;
  let repairedFailures = 0;

  function repair(): void {
    if (failures === repairedFailures) return;
    checkpointLog(database());
    repairedFailures = failures;
  }

  return async () => {
    repair();
    try {
      await sync();
    } catch (error) {
      failures += 1;
      throw error;
    }
    // Another sync may have failed at the same time.
    repair();
  };
}

function checkpointLog(database: Database | undefined): void {
  const outcome = database?.connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  if (outcome?.busy === 0) return;
  throw failed(
    `After a failure of the disk, ${database?.path ?? "the file"} could not be written out, for others are at work in it`,
    "Check the disk and try again",
  );
}

function readFrom<Result>(database: Database, work: (database: Database) => Result): Result {
  return inTransaction(database.connection, "BEGIN", () => work(database));
}

/** Retries while another process has the database locked, up to the busy timeout; the event loop is free between attempts. */
async function retryWhileBusy<Result>(place: FailurePlace, attempt: () => Result): Promise<Result> {
  const deadline = performance.now() + place.busyTimeoutMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw toStoreError(error, place);
    }
    await delay(pauseMs());
  }
}

/** A random pause, so that waiting processes do not all retry at once. */
function pauseMs(): number {
  return 1 + Math.random() * LONGEST_PAUSE_MS;
}
