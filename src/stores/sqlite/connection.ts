import { setTimeout as delay } from "node:timers/promises";
import { type Database, openDatabase } from "./open-database.ts";
import { type FailurePlace, failed, isBusy, toStoreError } from "./store-error.ts";
import { inTransaction } from "./transaction.ts";

const LONGEST_PAUSE_MS = 15;

/** The way to the file, which is opened at the first use. */
export interface Connection {
  /** Runs `work` on one state of the database. */
  read<Result>(work: (database: Database) => Result): Promise<Result>;
  /** Runs `work` alone, whole or not at all; durable once it resolves. Runs it again where others were in the way. */
  write<Result>(work: (database: Database) => Result): Promise<Result>;
  close(): void;
}

export function createConnection(place: FailurePlace): Connection {
  let database: Database | undefined;
  let isClosed = false;
  const opened = () => {
    if (isClosed) throw failed("The store is closed", "Make a new one with sqliteStore()");
    database ??= openDatabase(place.path);
    return database;
  };

  return {
    read: (work) => untilFree(place, () => transact(opened(), "BEGIN", work)),
    write: (work) => untilFree(place, () => transact(opened(), "BEGIN IMMEDIATE", work)),
    close() {
      isClosed = true;
      database?.connection.close();
      database = undefined;
    },
  };
}

function transact<Result>(
  database: Database,
  begin: "BEGIN" | "BEGIN IMMEDIATE",
  work: (database: Database) => Result,
): Result {
  return inTransaction(database.connection, begin, () => work(database));
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
    // Of random length, so that those who wait do not all come back at once.
    await delay(1 + Math.random() * LONGEST_PAUSE_MS);
  }
}
