import type { Content, Message, ReasoningBlock } from "../message/message.ts";

/** A model that can be asked. Objects of this shape are what agents already have; `providers/` makes some. */
export interface ModelHandler {
  /** Streams the reply. Whatever goes wrong may be thrown, at once or while streaming. */
  createMessage(systemPrompt: string, messages: readonly Message[], call?: ModelCall): AsyncIterable<ModelChunk>;
  /** The model's own count, which wins over ours. */
  countTokens?(content: Content): number | Promise<number>;
  getModel(): HandlerModel;
}

/** How one request is to be made; handlers use what they understand. */
export interface ModelCall {
  /** Aborted when nobody waits for the reply any more. */
  readonly signal: AbortSignal;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  /** What the model may call. @default nothing */
  readonly tools?: readonly ToolSpecification[];
}

/** A tool as a model is told of it. */
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

/** A finished thought with what the provider wants back of it, word for word, in the next request; its text came as chunks before. */
export interface ReasoningBlockChunk {
  readonly type: "reasoning_block";
  readonly block: ReasoningBlock;
}

/** A finished call of a tool. */
export interface ToolUseChunk {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** What the model wrote as arguments, where that is no JSON; `input` is then an empty object. */
  readonly brokenInput?: string;
}

/** What the request used so far; several of them are added up. */
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
  /** What the handler knows better than our registry. */
  readonly info?: {
    readonly contextWindow?: number;
    /** The longest reply. */
    readonly maxTokens?: number;
    readonly supportsImages?: boolean;
  };
}
