import { loadPackage } from "../../shared/load-package.ts";
import type { LangGraphSerializer } from "./checkpointer-types.ts";

/** What a checkpointer needs of LangGraph's package for them, which LangGraph brings along. */
export interface CheckpointPackage {
  readonly serializer: LangGraphSerializer;
  /** Numbers of what LangGraph itself writes, by channel; all are below 0. */
  readonly ownIndexes: Readonly<Record<string, number>>;
  /** The channel that tasks are sent to. */
  readonly tasksChannel: string;
}

let loaded: Promise<CheckpointPackage> | undefined;

export function loadCheckpointPackage(): Promise<CheckpointPackage> {
  loaded ??= loadPackage("@langchain/langgraph-checkpoint", async () => {
    const { MemorySaver, TASKS, WRITES_IDX_MAP } = await import("@langchain/langgraph-checkpoint");
    // The serializer has no name of its own there: every checkpointer begins with it.
    return { serializer: new MemorySaver().serde, ownIndexes: WRITES_IDX_MAP, tasksChannel: TASKS };
  });
  return loaded;
}

/** LangGraph's serializer, loaded when it is first used. */
export const lazySerializer: LangGraphSerializer = {
  dumpsTyped: async (data) => (await loadCheckpointPackage()).serializer.dumpsTyped(data),
  loadsTyped: async (type, data) => (await loadCheckpointPackage()).serializer.loadsTyped(type, data),
};
