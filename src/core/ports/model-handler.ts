import type { Content, Message } from "../message/message.ts";

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
}

/** One part of a streamed reply. Chunks of other types are ignored. */
export type ModelChunk = TextChunk | ReasoningChunk | UsageChunk;

export interface TextChunk {
  readonly type: "text";
  readonly text: string;
}

export interface ReasoningChunk {
  readonly type: "reasoning";
  readonly text: string;
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
