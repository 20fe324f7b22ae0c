import { setTimeout as delay } from "node:timers/promises";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { type Database, openDatabase } from "./open-database.ts";
import { type FailurePlace, failed, isBusy, toStoreError } from "./store-error.ts";
import { createLogSync, type LogSync } from "./sync-log.ts";
import { inTransaction } from "./transaction.ts";

const LONGEST_PAUSE_MS = 15;

/** The way to the file, which is opened at the first use. */
export interface Connection {
  /** Runs `work` on one state of the database. */
  read<Result>(work: (database: Database) => Result): Promise<Result>;
  /** Runs `work` alone, whole or not at all; durable once it resolves, unless it need not be. Runs it again where others were in the way. */
  write: GroupCommit["write"];
  /** Runs `work` outside of any transaction: what SQLite does to a whole file cannot be undone halfway, and a single look needs none. */
  alone<Result>(work: (database: Database) => Result): Promise<Result>;
  /** Writes first what was asked for before, unless others are in the way. */
  close(): Promise<void>;
}

export function createConnection(place: FailurePlace, log: LogSync = createLogSync(place.path)): Connection {
  let database: Database | undefined;
  let closing: Promise<void> | undefined;
  const opened = () => {
    if (closing !== undefined) throw failed("The store is closed", "Make a new one with sqliteStore()");
    database ??= openDatabase(place.path);
    return database;
  };
  const sync = surely(log, () => database);
  const { write, flush } = createGroupCommit({ place, open: opened, sync, pauseMs });

  async function closeNow(): Promise<void> {
    if (database === undefined) return;
    // Who waits for what was written is told by the write itself.
    await sync().catch(() => undefined);
    log.close();
    database.heads.close();
    database.connection.close();
    database = undefined;
  }

  return {
    write,
    read: (work) => untilFree(place, () => readFrom(opened(), work)),
    alone: (work) => untilFree(place, () => work(opened())),
    close() {
      if (closing === undefined) flush();
      closing ??= closeNow();
      return closing;
    },
  };
}

/**
 * Where the disk failed, the system may have forgotten what it was to write: the next wait would be over at once, and what stands in the
 * log behind the gap would be lost with it. So the log is first written into the file itself.
 */
function surely({ sync }: LogSync, database: () => Database | undefined): () => Promise<void> {
  let failures = 0;
  let mended = 0;

  function mend(): void {
    if (failures === mended) return;
    writeOut(database());
    mended = failures;
  }

  return async () => {
    mend();
    try {
      await sync();
    } catch (error) {
      failures += 1;
      throw error;
    }
    // Another wait may have failed while this one went on.
    mend();
  };
}

function writeOut(database: Database | undefined): void {
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

/** Tries again, with the event loop free in between, for as long as others are at work in the database. */
async function untilFree<Result>(place: FailurePlace, attempt: () => Result): Promise<Result> {
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

/** Of random length, so that those who wait do not all come back at once. */
function pauseMs(): number {
  return 1 + Math.random() * LONGEST_PAUSE_MS;
}
