/** The types of LangGraph's checkpointers, declared here so that our types do not need LangGraph's. */

export interface LangGraphConfig {
  configurable?: Record<string, unknown>;
}

export interface LangGraphCheckpoint {
  v: number;
  id: string;
  ts: string;
  channel_values: Record<string, unknown>;
  channel_versions: Record<string, number | string>;
  versions_seen: Record<string, Record<string, number | string>>;
}

export interface LangGraphMetadata {
  source: "input" | "loop" | "update" | "fork";
  step: number;
  parents: Record<string, string>;
  [field: string]: unknown;
}

/** A write of a task: its id, the channel and the value. */
export type LangGraphWrite = [taskId: string, channel: string, value: unknown];

export interface LangGraphTuple {
  config: LangGraphConfig;
  checkpoint: LangGraphCheckpoint;
  metadata?: LangGraphMetadata;
  parentConfig?: LangGraphConfig;
  pendingWrites?: LangGraphWrite[];
}

export interface LangGraphListOptions {
  limit?: number;
  before?: LangGraphConfig;
  filter?: Record<string, unknown>;
}

export interface LangGraphChannelHistory {
  writes: LangGraphWrite[];
  seed?: unknown;
}

export interface LangGraphSerializer {
  dumpsTyped(data: unknown): Promise<[string, Uint8Array]>;
  loadsTyped(type: string, data: Uint8Array | string): Promise<unknown>;
}

/** A checkpointer for `createAgent` and for `compile` of LangGraph's graphs. */
export interface PalimpsestCheckpointer {
  serde: LangGraphSerializer;
  toJSON(): string;
  get(config: LangGraphConfig): Promise<LangGraphCheckpoint | undefined>;
  getTuple(config: LangGraphConfig): Promise<LangGraphTuple | undefined>;
  list(config: LangGraphConfig, options?: LangGraphListOptions): AsyncGenerator<LangGraphTuple>;
  put(
    config: LangGraphConfig,
    checkpoint: LangGraphCheckpoint,
    metadata: LangGraphMetadata,
  ): Promise<{ configurable: Record<string, unknown> }>;
  putWrites(config: LangGraphConfig, writes: [string, unknown][], taskId: string): Promise<void>;
  deleteThread(threadId: string): Promise<void>;
  getDeltaChannelHistory(options: {
    config: LangGraphConfig;
    channels: string[];
  }): Promise<Record<string, LangGraphChannelHistory>>;
  getNextVersion(current: number | undefined): number;
}
