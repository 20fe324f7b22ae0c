import { PalimpsestError } from "../../../core/errors.ts";
import type { FoundRecord, NewRecord, Store } from "../../../core/ports/store.ts";
import {
  ALL_CHECKPOINTS,
  type CheckpointPlace,
  type CheckpointRecord,
  checkpointAt,
  checkpointsOf,
  readCheckpoint,
  readWrites,
  sessionIdOf,
  type WritesRecord,
  writeCheckpoint,
  writesAt,
  writeWrites,
} from "./checkpoint-records.ts";

/** Checkpoints as records of a store. Nothing is held in memory: any process that has the store finds all of them. */
export interface CheckpointStorage {
  readonly store: Store;
  addCheckpoint(record: CheckpointRecord): Promise<void>;
  addWrites(record: WritesRecord): Promise<void>;
  /** The records with this term, the newest first; in one thread, or in all. */
  find(term: string, options: FindOptions): Promise<readonly FoundRecord[]>;
  /** The newest first; one that was saved again counts once. */
  checkpoints(options: {
    readonly threadId?: string | undefined;
    readonly namespace?: string | undefined;
  }): AsyncGenerator<CheckpointRecord>;
  /** What was written after a checkpoint, in the order of the tasks. */
  writes(place: CheckpointPlace): Promise<readonly WritesRecord[]>;
}

export interface FindOptions {
  readonly threadId?: string | undefined;
  readonly limit?: number;
}

/** A thread may be deleted while something is saved in it: then it is made again. */
const MAX_TRIES = 3;

export function createStorage(store: Store): CheckpointStorage {
  async function add(threadId: string, record: NewRecord): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { key } = await store.open(sessionIdOf(threadId));
      const { type } = await store.append(key, [record]);
      if (type === "appended") return;
    }
    throw new PalimpsestError(
      "conflict",
      `The thread ${JSON.stringify(threadId)} was deleted while it was saved. Try again.`,
    );
  }

  async function find(term: string, { threadId, ...options }: FindOptions): Promise<readonly FoundRecord[]> {
    if (threadId === undefined) return store.search([term], options);
    const session = await store.find(sessionIdOf(threadId));
    return session === undefined ? [] : store.search([term], { ...options, sessionKey: session.key });
  }

  return {
    store,
    find,
    addCheckpoint: (record) => add(record.threadId, writeCheckpoint(record)),
    addWrites: (record) => add(record.threadId, writeWrites(record)),
    async *checkpoints({ threadId, namespace }) {
      const seen = new Set<string>();
      const term = namespace === undefined ? ALL_CHECKPOINTS : checkpointsOf(namespace);
      for (const found of await find(term, { threadId })) {
        const record = await readCheckpoint(store, found);
        const key = record && `${checkpointAt(record)} ${record.threadId}`;
        if (record === undefined || key === undefined || seen.has(key)) continue;
        seen.add(key);
        yield record;
      }
    },
    async writes(place) {
      const newestFirst = await find(writesAt(place), { threadId: place.threadId });
      const records = await Promise.all(newestFirst.toReversed().map((found) => readWrites(store, found)));
      return records.filter((record) => record !== undefined);
    },
  };
}
