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

/** Checkpoints as records of a store. Nothing is cached in memory: any process with the same store finds all of them. */
export interface CheckpointStorage {
  readonly store: Store;
  addCheckpoint(record: CheckpointRecord): Promise<void>;
  addWrites(record: WritesRecord): Promise<void>;
  /** The records with this term in one thread, or in all; newest first. */
  find(term: string, options: FindOptions): Promise<readonly FoundRecord[]>;
  /** The checkpoints of a thread or namespace, or all; newest first. One that was saved twice is yielded once. */
  checkpoints(options: {
    readonly threadId?: string | undefined;
    readonly namespace?: string | undefined;
  }): AsyncGenerator<CheckpointRecord>;
  /** The writes after a checkpoint, in the order in which tasks saved them. */
  writes(place: CheckpointPlace): Promise<readonly WritesRecord[]>;
}

export interface FindOptions {
  readonly threadId?: string | undefined;
  readonly limit?: number;
}

/** A thread may be deleted while a record is saved in it: then it is created again. */
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
      const yielded = new Set<string>();
      const term = namespace === undefined ? ALL_CHECKPOINTS : checkpointsOf(namespace);
      for (const found of await find(term, { threadId })) {
        const record = await readCheckpoint(store, found);
        const key = record && `${checkpointAt(record)} ${record.threadId}`;
        if (record === undefined || key === undefined || yielded.has(key)) continue;
        yielded.add(key);
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
