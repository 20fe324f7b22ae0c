import type { Acknowledge } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";
import { type FailurePlace, isBusy, notOnDisk, toStoreError } from "./store-error.ts";
import { inTransaction } from "./transaction.ts";

/** A queue of writes. Those of one turn of the event loop share a transaction, and one sync of the log. */
export interface GroupCommit {
  /**
   * Runs `work` after the writes queued before it, atomically. Resolves when it is durable or, with "visible", when it is committed: the
   * next sync covers it, too. May run `work` more than once: a group that is rolled back is run again.
   */
  write<Result>(work: (database: Database) => Result, acknowledge?: Acknowledge): Promise<Result>;
  /** Commits the queued writes now, unless another process has the database locked. */
  flush(): void;
}

export interface GroupCommitOptions {
  readonly place: FailurePlace;
  /** Returns the open database, or throws. */
  readonly open: () => Database;
  /** Resolves when everything that was committed before the call is on the disk. */
  readonly sync: () => Promise<void>;
  /** How long to wait before the next attempt while another process has the database locked. */
  readonly pauseMs: () => number;
}

type CommitPorts = Omit<GroupCommitOptions, "pauseMs">;

/** A queued write: its commit is shared with the group, its outcome is its own. */
interface Write {
  readonly acknowledge: Acknowledge;
  /** Until when it waits for other processes. */
  readonly deadline: number;
  /** Does the work. Returns a function that resolves the caller's promise, to be called after the commit. */
  run(database: Database): () => void;
  reject(reason: unknown): void;
}

/** The writes of a group that an error concerns: the one whose work threw, or all, where the transaction itself failed. */
interface Failure {
  readonly error: unknown;
  readonly index: number;
  readonly count: number;
}

export function createGroupCommit({ pauseMs, ...ports }: GroupCommitOptions): GroupCommit {
  const { place } = ports;
  let queue: Write[] = [];
  const flush = () => {
    const blocked = commit(queue.splice(0), ports);
    queue = [...blocked, ...queue];
    if (blocked.length > 0) setTimeout(flush, pauseMs());
  };
  return {
    flush,
    write(work, acknowledge = "durable") {
      const deadline = performance.now() + place.busyTimeoutMs;
      return new Promise((resolve, reject) => {
        const run = (database: Database) => {
          const result = work(database);
          return () => resolve(result);
        };
        if (queue.length === 0) setImmediate(flush);
        queue.push({ acknowledge, deadline, run, reject });
      });
    },
  };
}

/** Commits or rejects the writes, in as few transactions as possible. Returns those that have to wait for another process. */
function commit(writes: readonly Write[], ports: CommitPorts): readonly Write[] {
  const { place } = ports;
  let rest = writes;
  let group = rest;
  while (group.length > 0) {
    const failure = commitTogether(group, ports);
    if (failure !== undefined && isBusy(failure.error)) return rejectLate(rest, toStoreError(failure.error, place));
    if (failure !== undefined && failure.index > 0) {
      // The writes before the failed one are committed first; it then fails as the first of the next group, and alone.
      group = group.slice(0, failure.index);
      continue;
    }
    const settled = group.slice(0, failure?.count);
    if (failure !== undefined) for (const { reject } of settled) reject(toStoreError(failure.error, place));
    rest = rest.slice(settled.length);
    group = rest;
  }
  return [];
}

// No savepoint for each write: the full-text index flushes its buffers at every savepoint, and some failures undo all of them anyway.
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
    for (const [index, resolve] of acknowledgements.entries()) if (group[index]?.acknowledge === "visible") resolve();
    void settleOnDisk(group, acknowledgements, { ...ports, acknowledged: () => database.heads.acknowledged(heads) });
    return undefined;
  } catch (error) {
    return { error, ...concerned };
  }
}

/** Resolves the writes once they are on the disk. Where the sync fails, a rejected write may still take effect. */
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
    for (const { reject } of group) reject(notOnDisk(error, place));
  }
}

/** Rejects the writes whose deadline has passed. Returns the others. */
function rejectLate(writes: readonly Write[], reason: unknown): readonly Write[] {
  const now = performance.now();
  const isLate = ({ deadline }: Write) => now >= deadline;
  for (const { reject } of writes.filter(isLate)) reject(reason);
  return writes.filter((write) => !isLate(write));
}
