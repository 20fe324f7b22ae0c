import { PalimpsestError } from "../../../core/errors.ts";
import { isRecord } from "../../../core/json/read-json.ts";
import { loadPackage } from "../../shared/load-package.ts";
import type { ChannelWrite, CheckpointPlace, CheckpointRecord, SerializedValue } from "./checkpoint-records.ts";
import type { CheckpointStorage } from "./checkpoint-storage.ts";
import type {
  LangGraphCheckpoint,
  LangGraphConfig,
  LangGraphMetadata,
  LangGraphSerializer,
  LangGraphTuple,
  LangGraphWrite,
} from "./checkpointer-types.ts";

/** From this checkpoint version on, tasks to start are kept as writes, and no longer in the next checkpoint. */
const VERSION_WITH_SENDS_AS_WRITES = 4;

/** A checkpoint in LangGraph's form, with the writes after it. Throws if it is damaged. */
export async function readTuple(storage: CheckpointStorage, record: CheckpointRecord): Promise<LangGraphTuple> {
  const { threadId, namespace, parentId } = record;
  const [checkpoint, metadata] = [await load(record.checkpoint), await load(record.metadata)];
  if (!isCheckpoint(checkpoint) || !isMetadata(metadata)) throw unreadable(record);
  const parent = parentId === undefined ? undefined : { threadId, namespace, id: parentId };
  const isOld = checkpoint.v < VERSION_WITH_SENDS_AS_WRITES && parent !== undefined;
  return {
    config: configOf(record),
    checkpoint: isOld ? await withPendingSends(storage, checkpoint, parent) : checkpoint,
    metadata,
    ...(parent !== undefined && { parentConfig: configOf(parent) }),
    pendingWrites: await readPendingWrites(storage, record),
  };
}

function configOf({ threadId, namespace, id }: CheckpointPlace): LangGraphConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id } };
}

/** The writes after a checkpoint. Of a task that ran twice, the first write of each index counts; of LangGraph's own entries, the last. */
async function readPendingWrites(storage: CheckpointStorage, place: CheckpointPlace): Promise<LangGraphWrite[]> {
  const kept = new Map<string, ChannelWrite & { readonly taskId: string }>();
  for (const { taskId, writes } of await storage.writes(place)) {
    for (const write of writes) {
      const key = JSON.stringify([taskId, write.index]);
      if (write.index < 0 || !kept.has(key)) kept.set(key, { ...write, taskId });
    }
  }
  return Promise.all(
    [...kept.values()].map(
      async ({ taskId, channel, value }): Promise<LangGraphWrite> => [taskId, channel, await load(value)],
    ),
  );
}

async function withPendingSends(
  storage: CheckpointStorage,
  checkpoint: LangGraphCheckpoint,
  parent: CheckpointPlace,
): Promise<LangGraphCheckpoint> {
  const { tasksChannel } = await loadCheckpointPackage();
  const writes = await readPendingWrites(storage, parent);
  const sends = writes.filter(([, channel]) => channel === tasksChannel).map(([, , value]) => value);
  const versions = Object.values(checkpoint.channel_versions);
  const [newest = 1] = versions.toSorted((one, other) => (one < other ? 1 : -1));
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [tasksChannel]: sends },
    channel_versions: { ...checkpoint.channel_versions, [tasksChannel]: newest },
  };
}

function load({ type, bytes }: SerializedValue): Promise<unknown> {
  return lazySerializer.loadsTyped(type, bytes);
}

function isCheckpoint(value: unknown): value is LangGraphCheckpoint {
  return (
    isRecord(value) && typeof value.id === "string" && typeof value.v === "number" && isRecord(value.channel_versions)
  );
}

function isMetadata(value: unknown): value is LangGraphMetadata {
  return isRecord(value);
}

function unreadable({ threadId, id }: CheckpointPlace): PalimpsestError {
  return new PalimpsestError(
    "store-damaged",
    `The checkpoint ${JSON.stringify(id)} of the thread ${JSON.stringify(threadId)} is none of LangGraph's. Restore the database from a backup.`,
  );
}

/** What we use of LangGraph's package for checkpointers, which LangGraph depends on. */
interface CheckpointPackage {
  readonly serializer: LangGraphSerializer;
  /** The indexes of LangGraph's own entries by channel; all are negative. */
  readonly ownIndexes: Readonly<Record<string, number>>;
  /** The channel that holds tasks to start. */
  readonly tasksChannel: string;
}

let loaded: Promise<CheckpointPackage> | undefined;

export function loadCheckpointPackage(): Promise<CheckpointPackage> {
  loaded ??= loadPackage("@langchain/langgraph-checkpoint", async () => {
    const { MemorySaver, TASKS, WRITES_IDX_MAP } = await import("@langchain/langgraph-checkpoint");
    // The package does not export its serializer; every checkpointer is created with it.
    return { serializer: new MemorySaver().serde, ownIndexes: WRITES_IDX_MAP, tasksChannel: TASKS };
  });
  return loaded;
}

/** LangGraph's serializer, loaded when it is first used. */
export const lazySerializer: LangGraphSerializer = {
  dumpsTyped: async (data) => (await loadCheckpointPackage()).serializer.dumpsTyped(data),
  loadsTyped: async (type, data) => (await loadCheckpointPackage()).serializer.loadsTyped(type, data),
};
