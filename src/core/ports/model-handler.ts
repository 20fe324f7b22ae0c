import type { Content, Message, ReasoningBlock } from "../message/message.ts";

/** A model that can be called. Agents often have objects of this shape already; `providers/` makes some. */
export interface ModelHandler {
  /** Streams the reply. Failures are thrown, at once or while streaming. */
  createMessage(systemPrompt: string, messages: readonly Message[], call?: ModelCall): AsyncIterable<ModelChunk>;
  /** The model's own count, used in place of ours. */
  countTokens?(content: Content): number | Promise<number>;
  getModel(): HandlerModel;
}

/** Settings of one request; a handler ignores those that it does not support. */
export interface ModelCall {
  /** Aborted when the reply is not needed any more. */
  readonly signal: AbortSignal;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  /** What the model may call. @default nothing */
  readonly tools?: readonly ToolSpecification[];
}

/** A tool as it is declared to a model. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments: an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One part of a streamed reply. Chunks of other types are ignored. */
export type ModelChunk = TextChunk | ReasoningChunk | ReasoningBlockChunk | ToolUseChunk | UsageChunk;

export interface TextChunk {
  readonly type: "text";
  readonly text: string;
}

export interface ReasoningChunk {
  readonly type: "reasoning";
  readonly text: string;
}

/** A finished reasoning block, which the next request must repeat unchanged; its text came in {@link ReasoningChunk}s before. */
export interface ReasoningBlockChunk {
  readonly type: "reasoning_block";
  readonly block: ReasoningBlock;
}

/** A complete tool call. */
export interface ToolUseChunk {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The arguments as the model wrote them, where they are not valid JSON; `input` is then an empty object. */
  readonly brokenInput?: string;
}

/** Tokens that the request used; several usage chunks of one reply are added up. */
export interface UsageChunk {
  readonly type: "usage";
  /** Neither read from nor written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** In USD. Without it, the registry's prices apply. */
  readonly totalCost?: number;
}

export interface HandlerModel {
  readonly id: string;
  /** Values that override those of our model registry. */
  readonly info?: {
    readonly contextWindow?: number;
    /** The longest reply. */
    readonly maxTokens?: number;
    readonly supportsImages?: boolean;
  };
}
