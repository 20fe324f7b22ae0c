import { assert, assertFunction, assertNumber, assertObject } from "../core/assert.ts";
import { describeError } from "../core/describe-error.ts";
import { checkMessages } from "../core/message/check-messages.ts";
import { effectiveView, getEffectiveApiHistory } from "../core/message/effective-view.ts";
import type { Message } from "../core/message/message.ts";
import { tokenLimit } from "../core/models/registry.ts";
import type { CondensationTrigger } from "../core/ports/condensation.ts";
import type { PreCompressEvent } from "../core/ports/hooks.ts";
import type { ModelHandler } from "../core/ports/model-handler.ts";
import { countContentTokens } from "../core/tokens/count-content.ts";
import { countMessagesTokens } from "../core/tokens/count-messages.ts";
import { type CompressionModels, compressionModel } from "./condense/compression-models.ts";
import { DEFAULT_MAX_MODEL_CALLS, DEFAULT_TIMEOUT_MS } from "./condense/condensation-run.ts";
import { condenseBySnapshot } from "./condense/condense-by-snapshot.ts";
import { withTimeLimit } from "./time-limit.ts";

/**
 * The share of the window from which on a conversation is compressed.
 * @example
 * ```ts
 * import { DEFAULT_COMPRESSION_TOKEN_THRESHOLD, tokenLimit } from "palimpsest/compat";
 * console.log(tokenLimit("gemini-2.5-pro") * DEFAULT_COMPRESSION_TOKEN_THRESHOLD); // 524288
 * ```
 */
export const DEFAULT_COMPRESSION_TOKEN_THRESHOLD = 0.5;

/** The share of the free part of the window that the next request may take before room is made for it. */
const PENDING_REQUEST_SHARE = 0.95;

/** Time limits for hooks and counters, which are the caller's code. */
const HOOK_TIMEOUT_MS = 10_000;
const COUNT_TIMEOUT_MS = 10_000;

/**
 * How a compression ended.
 * @example
 * ```ts
 * import { ChatCompressionService, CompressionStatus, type ModelHandler } from "palimpsest/compat";
 * const handler: ModelHandler = { getModel: () => ({ id: "any" }), async *createMessage() {} };
 * const service = new ChatCompressionService({ handlerFor: () => handler });
 * const { info } = await service.compress({ messages: [], model: "gemini-2.5-pro" });
 * console.log(info.compressionStatus === CompressionStatus.NOOP); // true
 * ```
 */
export const CompressionStatus = {
  COMPRESSED: "COMPRESSED",
  /** The new history would be larger than the old one or its reported size; the old one stays. */
  COMPRESSION_FAILED_INFLATED_TOKEN_COUNT: "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT",
  COMPRESSION_FAILED_TOKEN_COUNT_ERROR: "COMPRESSION_FAILED_TOKEN_COUNT_ERROR",
  /** The model failed, took too long, or wrote no snapshot. */
  COMPRESSION_FAILED_MODEL_ERROR: "COMPRESSION_FAILED_MODEL_ERROR",
  NOOP: "NOOP",
} as const;

export type CompressionStatus = (typeof CompressionStatus)[keyof typeof CompressionStatus];

export interface ChatCompressionOptions {
  /** Returns the handler of a model, by its id. */
  readonly handlerFor: (modelId: string) => ModelHandler;
  /** Which model compresses the conversations of which model. @default each its own */
  readonly compressionModels?: CompressionModels;
  /** @default DEFAULT_COMPRESSION_TOKEN_THRESHOLD */
  readonly threshold?: number;
  /** Called and awaited before each compression. */
  readonly preCompress?: (event: PreCompressEvent) => unknown;
  /** Counts a history in tokens. @default our own count */
  readonly countHistory?: (history: readonly Message[]) => number | Promise<number>;
  /** @default DEFAULT_TIMEOUT_MS */
  readonly timeoutMs?: number;
  /** Whether a second request asks what the snapshot left out, and writes the snapshot again. @default false */
  readonly verify?: boolean;
  /**
   * Whether messages that state a decision stay visible behind the snapshot: the eight newest of at most 300 tokens, within a tenth of what could be
   * hidden. Messages that a person marked, and the plan that a person approved, stay in any case. @default true
   */
  readonly keepDecisions?: boolean;
}

export interface CompressRequest {
  readonly messages: readonly Message[];
  /** The model of the conversation. */
  readonly model: string;
  /** @default the model's own, as the registry knows it */
  readonly contextWindow?: number;
  /** Compresses however full the window is, as the manual command does. @default false */
  readonly force?: boolean;
  /** The last reported size of the prompt. @default the history's size */
  readonly originalTokenCount?: number;
  /** The estimated size of what the next request adds. @default 0 */
  readonly pendingRequestTokens?: number;
  /** Whether an earlier attempt failed: then only `force` tries again. @default false */
  readonly hasFailedCompressionAttempt?: boolean;
  /** @default "" */
  readonly taskId?: string;
  /** Replaces the default prompt. */
  readonly prompt?: string;
  readonly signal?: AbortSignal;
}

export interface ChatCompressionResult {
  /** The log, in which the compressed messages are hidden. */
  readonly messages: readonly Message[];
  /** The new view; null where nothing changed. */
  readonly newHistory: readonly Message[] | null;
  readonly info: ChatCompressionInfo;
}

export interface ChatCompressionInfo {
  readonly originalTokenCount: number;
  readonly newTokenCount: number;
  readonly compressionStatus: CompressionStatus;
  readonly condenseId?: string;
  /** In USD. */
  readonly cost: number;
  readonly error?: string;
}

/** The outcome of one request. Without `compressed`, the history stays. */
interface Attempt extends Partial<ChatCompressionInfo> {
  readonly compressionStatus: CompressionStatus;
  readonly compressed?: readonly Message[];
}

/**
 * Compresses the older part of a conversation into a state snapshot.
 * @example
 * ```ts
 * import { ChatCompressionService, type Message, type ModelHandler } from "palimpsest/compat";
 * const handler: ModelHandler = { getModel: () => ({ id: "any" }), async *createMessage() {} };
 * const service = new ChatCompressionService({ handlerFor: () => handler });
 * const messages: Message[] = [{ role: "user", content: "Hardly anything was said." }];
 * console.log((await service.compress({ messages, model: "gemini-2.5-pro" })).info.compressionStatus); // NOOP
 * ```
 */
export class ChatCompressionService {
  readonly #options: ChatCompressionOptions;

  constructor(options: ChatCompressionOptions) {
    assertObject("options", options);
    assertFunction("options.handlerFor", options.handlerFor);
    const { threshold = DEFAULT_COMPRESSION_TOKEN_THRESHOLD } = options;
    const isShare = typeof threshold === "number" && threshold >= 0 && threshold <= 1;
    assert(isShare, "options.threshold", threshold, "from 0 to 1");
    this.#options = options;
  }

  /** Compresses if it is due. Does not throw where the model or the counter fails: the status says so, and the history stays. */
  async compress(request: CompressRequest): Promise<ChatCompressionResult> {
    checkRequest(request);
    const { messages } = request;
    const originalTokenCount = request.originalTokenCount ?? (await this.#count(messages));
    const { compressed, ...details } = await this.#attempt(request, originalTokenCount);
    const tokens = originalTokenCount ?? 0;
    return {
      messages: compressed ?? messages,
      newHistory: compressed === undefined ? null : getEffectiveApiHistory(compressed),
      info: { originalTokenCount: tokens, newTokenCount: tokens, cost: 0, ...details },
    };
  }

  async #attempt(request: CompressRequest, originalTokenCount: number | undefined): Promise<Attempt> {
    const { messages, force = false } = request;
    if (originalTokenCount === undefined) return { compressionStatus: "COMPRESSION_FAILED_TOKEN_COUNT_ERROR" };
    if (!force && !this.#isDue(request, originalTokenCount)) return { compressionStatus: "NOOP" };
    // A reported size includes the system prompt: the history is counted alone, and before a model is paid for.
    const historyTokens = request.originalTokenCount === undefined ? originalTokenCount : await this.#count(messages);
    if (historyTokens === undefined) return { compressionStatus: "COMPRESSION_FAILED_TOKEN_COUNT_ERROR" };

    await this.#announce(request, force ? "manual" : "auto");
    const { messages: compressed, cost, error, condenseId, modelCalls } = await this.#condense(request);
    if (error !== undefined) {
      const compressionStatus = modelCalls === 0 ? "NOOP" : "COMPRESSION_FAILED_MODEL_ERROR";
      return { compressionStatus, error, cost };
    }
    const newTokenCount = await this.#count(compressed);
    if (newTokenCount === undefined) return { compressionStatus: "COMPRESSION_FAILED_TOKEN_COUNT_ERROR", cost };
    if (newTokenCount > Math.min(originalTokenCount, historyTokens)) {
      return { compressionStatus: "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT", newTokenCount, cost };
    }
    const named = condenseId === undefined ? {} : { condenseId };
    return { compressionStatus: "COMPRESSED", compressed, newTokenCount, cost, ...named };
  }

  #isDue(request: CompressRequest, tokens: number): boolean {
    const { pendingRequestTokens = 0, hasFailedCompressionAttempt = false } = request;
    const limit = request.contextWindow ?? tokenLimit(request.model);
    const { threshold = DEFAULT_COMPRESSION_TOKEN_THRESHOLD } = this.#options;
    const hasNoRoom = pendingRequestTokens > PENDING_REQUEST_SHARE * (limit - tokens);
    return !hasFailedCompressionAttempt && (tokens >= threshold * limit || hasNoRoom);
  }

  async #announce({ messages, taskId = "" }: CompressRequest, trigger: CondensationTrigger): Promise<void> {
    try {
      await withTimeLimit(this.#options.preCompress?.({ taskId, trigger, messages }), HOOK_TIMEOUT_MS);
    } catch {
      // A notification that fails must not keep the conversation from fitting.
    }
  }

  async #condense(request: CompressRequest) {
    const { messages, model, taskId = "", prompt, signal, force = false } = request;
    const { handlerFor, compressionModels, timeoutMs = DEFAULT_TIMEOUT_MS, verify, keepDecisions } = this.#options;
    try {
      return await condenseBySnapshot({
        messages,
        handler: handlerFor(compressionModel(model, compressionModels)),
        taskId,
        prompt,
        keepMessages: 0,
        // Its history begins with the snapshot, as its callers expect.
        beginsWith: "snapshot",
        keepsDecisions: keepDecisions,
        verify,
        // One large message may be all there is before the kept part.
        leastMessages: force ? 1 : undefined,
        // No limit: the service has a status of its own for a history that grew.
        prevContextTokens: Number.POSITIVE_INFINITY,
        countTokens: countContentTokens,
        measurePrompt: (view) => countMessagesTokens(view),
        maxModelCalls: DEFAULT_MAX_MODEL_CALLS,
        timeoutMs,
        signal,
      });
    } catch (error) {
      return { messages, cost: 0, error: describeError(error), modelCalls: 1, condenseId: undefined };
    }
  }

  /** Undefined where the history cannot be counted. */
  async #count(messages: readonly Message[]): Promise<number | undefined> {
    const { countHistory = (history: readonly Message[]) => countMessagesTokens(history) } = this.#options;
    try {
      const view = effectiveView(messages);
      const count: unknown = await withTimeLimit(countHistory(view), COUNT_TIMEOUT_MS);
      return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : undefined;
    } catch {
      return undefined;
    }
  }
}

function checkRequest(request: CompressRequest): void {
  assertObject("request", request);
  checkMessages(request.messages);
  const { originalTokenCount = 0, pendingRequestTokens = 0 } = request;
  assertNumber("request.originalTokenCount", originalTokenCount, 0);
  assertNumber("request.pendingRequestTokens", pendingRequestTokens, 0);
  if (request.contextWindow !== undefined) assertNumber("request.contextWindow", request.contextWindow, 1);
}
