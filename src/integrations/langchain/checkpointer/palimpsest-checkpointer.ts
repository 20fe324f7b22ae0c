import { assert, assertFunction, assertObject } from "../../../core/assert.ts";
import { asName, asText } from "../../../core/json/read-json.ts";
import type { Store } from "../../../core/ports/store.ts";
import {
  checkpointAt,
  checkpointsOf,
  readCheckpoint,
  type SerializedValue,
  sessionIdOf,
} from "./checkpoint-records.ts";
import { type CheckpointStorage, createStorage } from "./checkpoint-storage.ts";
import type {
  LangGraphChannelHistory,
  LangGraphConfig,
  LangGraphTuple,
  LangGraphWrite,
  PalimpsestCheckpointer,
} from "./checkpointer-types.ts";
import { lazySerializer, loadCheckpointPackage, readTuple } from "./read-tuple.ts";

export interface PalimpsestCheckpointerOptions {
  /** The store that keeps threads: `memoryStore()`, `sqliteStore()` or `postgresStore()`. It may hold sessions too. */
  readonly store: Store;
}

/**
 * A LangGraph checkpointer over one of our stores: threads, their history and interrupted runs outlive the process, and with PostgreSQL any machine
 * can continue them. A thread is a session of its own in the store, named `langgraph:` and its id; it holds what LangGraph saved, unfolded.
 * @example
 * ```ts
 * import { palimpsestCheckpointer } from "palimpsest/langchain";
 * import { memoryStore } from "palimpsest/stores/memory";
 * const checkpointer = palimpsestCheckpointer({ store: memoryStore() }); // createAgent({ model, tools, checkpointer })
 * console.log(await checkpointer.getTuple({ configurable: { thread_id: "t1" } })); // undefined
 * ```
 */
export function palimpsestCheckpointer(options: PalimpsestCheckpointerOptions): PalimpsestCheckpointer {
  assertObject("options", options);
  assertObject("options.store", options.store);
  assertFunction("options.store.append", options.store.append);
  const storage = createStorage(options.store);
  const getTuple = (config: LangGraphConfig) => findTuple(storage, config);
  return {
    serde: lazySerializer,
    // LangGraph logs settings that hold the checkpointer.
    toJSON: () => "[PalimpsestCheckpointer]",
    get: async (config) => (await getTuple(config))?.checkpoint,
    getTuple,
    list: (config, listOptions) => listTuples(storage, config, listOptions),
    put: async (config, checkpoint, metadata) => {
      const { threadId, namespace, id: parentId } = threadOf(config);
      assert(typeof checkpoint?.id === "string", "checkpoint.id", checkpoint?.id, "a string");
      const { id } = checkpoint;
      const [saved, savedMetadata] = [await serialize(checkpoint), await serialize(metadata)];
      await storage.addCheckpoint({ threadId, namespace, id, parentId, checkpoint: saved, metadata: savedMetadata });
      return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id } };
    },
    putWrites: async (config, writes, taskId) => {
      const { threadId, namespace, id } = threadOf(config);
      assert(id !== undefined, "config.configurable.checkpoint_id", id, "the id of a checkpoint");
      const { ownIndexes } = await loadCheckpointPackage();
      const written = writes.map(async ([channel, value], place) => {
        const index = Object.hasOwn(ownIndexes, channel) ? (ownIndexes[channel] ?? place) : place;
        return { channel, index, value: await serialize(value) };
      });
      await storage.addWrites({ threadId, namespace, id, taskId, writes: await Promise.all(written) });
    },
    deleteThread: async (threadId) => {
      assert(asName(threadId) !== undefined, "threadId", threadId, "a string, not empty");
      await options.store.delete(sessionIdOf(threadId));
    },
    getDeltaChannelHistory: ({ config, channels }) => channelHistories(getTuple, config, channels),
    getNextVersion: (current) => {
      assert(current === undefined || typeof current === "number", "current", current, "a number");
      return (current ?? 0) + 1;
    },
  };
}

async function serialize(value: unknown): Promise<SerializedValue> {
  const [type, bytes] = await lazySerializer.dumpsTyped(value);
  return { type, bytes };
}

/** The thread that a config names, and the checkpoint if it names one. Throws if it names no thread. */
function threadOf({ configurable = {} }: LangGraphConfig) {
  const threadId = asName(configurable.thread_id);
  const allowed = "a string: the conversation to keep. Pass { configurable: { thread_id } } with the call";
  assert(threadId !== undefined, "config.configurable.thread_id", configurable.thread_id, allowed);
  return { threadId, namespace: asText(configurable.checkpoint_ns) ?? "", id: asName(configurable.checkpoint_id) };
}

/** The checkpoint that a config names, or else the newest of its thread; undefined if there is none. */
async function findTuple(storage: CheckpointStorage, config: LangGraphConfig): Promise<LangGraphTuple | undefined> {
  if (config.configurable?.thread_id === undefined) return undefined;
  const { threadId, namespace, id } = threadOf(config);
  const term = id === undefined ? checkpointsOf(namespace) : checkpointAt({ threadId, namespace, id });
  const [newest] = await storage.find(term, { threadId, limit: 1 });
  const record = newest && (await readCheckpoint(storage.store, newest));
  return record && readTuple(storage, record);
}

async function* listTuples(
  storage: CheckpointStorage,
  { configurable = {} }: LangGraphConfig,
  { limit = Number.POSITIVE_INFINITY, before, filter = {} }: Parameters<PalimpsestCheckpointer["list"]>[1] = {},
): AsyncGenerator<LangGraphTuple> {
  const namespace = asText(configurable.checkpoint_ns);
  const threadId = asName(configurable.thread_id);
  const beforeId = asName(before?.configurable?.checkpoint_id);
  const onlyId = asName(configurable.checkpoint_id);
  let left = limit;
  for await (const record of storage.checkpoints({ threadId, namespace })) {
    if (left <= 0) return;
    // LangGraph's ids sort by time.
    const isWanted = (onlyId === undefined || record.id === onlyId) && (beforeId === undefined || record.id < beforeId);
    const tuple = isWanted ? await readTuple(storage, record) : undefined;
    const isMatch = Object.entries(filter).every(([name, value]) => tuple?.metadata?.[name] === value);
    if (tuple === undefined || !isMatch) continue;
    left -= 1;
    yield tuple;
  }
}

/**
 * The histories of channels that checkpoints store as changes. For each channel: the value in the nearest earlier checkpoint that holds it, as
 * `seed`, and all writes since, oldest first.
 */
async function channelHistories(
  getTuple: (config: LangGraphConfig) => Promise<LangGraphTuple | undefined>,
  config: LangGraphConfig,
  channels: readonly string[],
): Promise<Record<string, LangGraphChannelHistory>> {
  const histories: Record<string, LangGraphChannelHistory> = Object.fromEntries(
    channels.map((channel) => [channel, { writes: [] }]),
  );
  const open = new Map(Object.entries(histories));
  let before = open.size === 0 ? undefined : (await getTuple(config))?.parentConfig;
  while (before !== undefined && open.size > 0) {
    const tuple = await getTuple(before);
    for (const [channel, history] of open) {
      history.writes.unshift(...writesTo(channel, tuple));
      if (tuple === undefined || !Object.hasOwn(tuple.checkpoint.channel_values, channel)) continue;
      history.seed = tuple.checkpoint.channel_values[channel];
      open.delete(channel);
    }
    before = tuple?.parentConfig;
  }
  return histories;
}

/** The writes to a channel. Those of tasks that ran at the same time are ordered by the tasks' ids, not by which ended first. */
function writesTo(channel: string, tuple: LangGraphTuple | undefined): readonly LangGraphWrite[] {
  const writes = (tuple?.pendingWrites ?? []).filter(([, name]) => name === channel);
  return writes.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}
