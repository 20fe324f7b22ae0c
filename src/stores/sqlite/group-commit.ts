import type { Acknowledge } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";
import { type FailurePlace, isBusy, notOnDisk, toStoreError } from "./store-error.ts";
import { inTransaction } from "./transaction.ts";

/** Writes that are asked for in one turn of the event loop share a transaction, and one wait for the disk. */
export interface GroupCommit {
  /**
   * Runs `work` after those asked for before it, whole or not at all; once it resolves it is durable, or only committed where that is enough:
   * the next wait for the disk is for it, too. May run it twice.
   */
  write<Result>(work: (database: Database) => Result, acknowledge?: Acknowledge): Promise<Result>;
  /** Commits now what was asked for, unless others are in the way. */
  flush(): void;
}

export interface GroupCommitOptions {
  readonly place: FailurePlace;
  /** Gives the open database, or throws. */
  readonly open: () => Database;
  /** Resolves when what was committed so far is on the disk. */
  readonly sync: () => Promise<void>;
  /** How long to leave the database to others that are at work in it. */
  readonly pauseMs: () => number;
}

type CommitPorts = Omit<GroupCommitOptions, "pauseMs">;

/** One of a group: the commit is shared, the outcome is its own. */
interface Write {
  readonly acknowledge: Acknowledge;
  /** When it has waited for others for long enough. */
  readonly deadline: number;
  /** Does the work, and gives what tells the caller once it is committed. */
  run(database: Database): () => void;
  refuse(reason: unknown): void;
}

/** Whom an error concerns: the one whose work has thrown, or all, where it came from the transaction itself. */
interface Failure {
  readonly error: unknown;
  readonly index: number;
  readonly count: number;
}

export function createGroupCommit({ pauseMs, ...ports }: GroupCommitOptions): GroupCommit {
  const { place } = ports;
  let asked: Write[] = [];
  const flush = () => {
    const blocked = commit(asked.splice(0), ports);
    asked = [...blocked, ...asked];
    if (blocked.length > 0) setTimeout(flush, pauseMs());
  };
  return {
    flush,
    write(work, acknowledge = "durable") {
      const deadline = performance.now() + place.busyTimeoutMs;
      return new Promise((resolve, refuse) => {
        const run = (database: Database) => {
          const result = work(database);
          return () => resolve(result);
        };
        if (asked.length === 0) setImmediate(flush);
        asked.push({ acknowledge, deadline, run, refuse });
      });
    },
  };
}

/** Settles the writes, in as few transactions as it can, and gives back those that others are in the way of. */
function commit(asked: readonly Write[], ports: CommitPorts): readonly Write[] {
  const { place } = ports;
  let rest = asked;
  let group = rest;
  while (group.length > 0) {
    const failure = commitTogether(group, ports);
    if (failure !== undefined && isBusy(failure.error)) return refuseLate(rest, toStoreError(failure.error, place));
    if (failure !== undefined && failure.index > 0) {
      // Those before it go first; it then fails at the head of the next group, where it takes nobody with it.
      group = group.slice(0, failure.index);
      continue;
    }
    const settled = group.slice(0, failure?.count);
    if (failure !== undefined) for (const { refuse } of settled) refuse(toStoreError(failure.error, place));
    rest = rest.slice(settled.length);
    group = rest;
  }
  return [];
}

// No savepoint for each: the index of terms writes out what it holds at every one, and some failures undo all of them anyway.
function commitTogether(group: readonly Write[], ports: CommitPorts): Failure | undefined {
  const all = { index: 0, count: group.length };
  let concerned = all;
  try {
    const database = ports.open();
    database.heads.takeNoted();
    const acknowledgements = inTransaction(database.connection, "BEGIN IMMEDIATE", () => {
      const done = group.map((write, index) => {
        concerned = { index, count: 1 };
        return write.run(database);
      });
      concerned = all;
      return done;
    });
    const heads = database.heads.takeNoted();
    for (const [index, tell] of acknowledgements.entries()) if (group[index]?.acknowledge === "visible") tell();
    void settleOnDisk(group, acknowledgements, { ...ports, acknowledged: () => database.heads.acknowledged(heads) });
    return undefined;
  } catch (error) {
    return { error, ...concerned };
  }
}

/** Where the disk fails that late, what was written may be there all the same. */
async function settleOnDisk(
  group: readonly Write[],
  acknowledgements: readonly (() => void)[],
  { sync, place, acknowledged }: CommitPorts & { readonly acknowledged: () => void },
): Promise<void> {
  try {
    await sync();
    acknowledged();
    for (const acknowledge of acknowledgements) acknowledge();
  } catch (error) {
    for (const { refuse } of group) refuse(notOnDisk(error, place));
  }
}

function refuseLate(writes: readonly Write[], reason: unknown): readonly Write[] {
  const now = performance.now();
  const isLate = ({ deadline }: Write) => now >= deadline;
  for (const { refuse } of writes.filter(isLate)) refuse(reason);
  return writes.filter((write) => !isLate(write));
}
