import type { Database } from "./open-database.ts";
import { type FailurePlace, isBusy, toStoreError } from "./store-error.ts";
import { inTransaction } from "./transaction.ts";

/** Writes that are asked for in one turn of the event loop share a transaction, and so the wait for the disk. */
export interface GroupCommit {
  /** Runs `work` in the order asked, whole or not at all; durable once it resolves. Runs it again where it has to. */
  write<Result>(work: (database: Database) => Result): Promise<Result>;
  /** Commits now what was asked for, unless others are in the way. */
  flush(): void;
}

export interface GroupCommitOptions {
  readonly place: FailurePlace;
  /** Gives the open database, or throws. */
  readonly open: () => Database;
  /** How long to leave the database to others that are at work in it. */
  readonly pauseMs: () => number;
}

/** One of a group: it shares the commit, but has an outcome of its own. */
interface Write {
  readonly deadline: number;
  /** Does the work, and gives what tells its caller once it is committed. */
  run(database: Database): () => void;
  refuse(reason: unknown): void;
}

export function createGroupCommit({ place, open, pauseMs }: GroupCommitOptions): GroupCommit {
  let asked: readonly Write[] = [];
  const flush = () => {
    const group = asked;
    // Emptied first: what a caller asks for when it is told must wait for the next group.
    asked = [];
    const blocked = commit(group, open, place);
    if (blocked.length > 0) setTimeout(flush, pauseMs());
    asked = [...blocked, ...asked];
  };
  return {
    flush,
    write(work) {
      const deadline = performance.now() + place.busyTimeoutMs;
      return new Promise((resolve, refuse) => {
        const run = (database: Database) => {
          const result = work(database);
          return () => resolve(result);
        };
        if (asked.length === 0) setImmediate(flush);
        asked = [...asked, { deadline, run, refuse }];
      });
    },
  };
}

/** Commits the writes in one transaction, without those that fail, and gives back those that others are in the way of. */
function commit(group: readonly Write[], open: () => Database, place: FailurePlace): readonly Write[] {
  let writes = group;
  while (writes.length > 0) {
    let failing = writes;
    try {
      const database = open();
      const acknowledgements = inTransaction(database.connection, "BEGIN IMMEDIATE", () => {
        const done = writes.map((write) => {
          failing = [write];
          return write.run(database);
        });
        failing = writes;
        return done;
      });
      for (const acknowledge of acknowledgements) acknowledge();
      return [];
    } catch (error) {
      const now = performance.now();
      const blocked = isBusy(error) ? writes.filter(({ deadline }) => now < deadline) : [];
      if (isBusy(error)) failing = writes.filter((write) => !blocked.includes(write));
      for (const { refuse } of failing) refuse(toStoreError(error, place));
      if (isBusy(error)) return blocked;
      writes = writes.filter((write) => !failing.includes(write));
    }
  }
  return [];
}
