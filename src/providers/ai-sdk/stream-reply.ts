import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { parseJson } from "../../core/json/parse-json.ts";
import type { ModelEntry } from "../../core/models/model-entry.ts";
import { priceOf } from "../../core/models/price.ts";
import type { ModelChunk, ReasoningBlockChunk, ToolUseChunk, UsageChunk } from "../../core/ports/model-handler.ts";
import { Interruption } from "./describe-failure.ts";
import type { StreamingModel } from "./older-models.ts";
import { readSeals } from "./seals.ts";

interface ReplyOptions {
  readonly request: LanguageModelV4CallOptions;
  readonly pricing: Pricing;
  readonly signal: AbortSignal | undefined;
  /** The tools by the names that were sent. @default none */
  readonly tools?: ReadonlyMap<string, { readonly name: string }>;
}

/** Makes one request and streams its reply. Throws the package's errors, and an error where the reply is incomplete. */
export async function* streamReply(
  model: StreamingModel,
  { request, pricing, signal, tools = new Map() }: ReplyOptions,
): AsyncGenerator<ModelChunk> {
  // closes the connection also when the consumer stops reading early
  const stopped = new AbortController();
  const abortSignal = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]);
  const read = createPartReader(tools);
  let hasText = false;
  // From the first tool call on, chunks are held back until the reply is complete: where a stream ends early, some packages
  // report half a call as a whole one.
  const held: ModelChunk[] = [];
  try {
    const { stream } = await model.doStream({ ...request, abortSignal });
    for await (const part of stream) {
      if (part.type === "error") throw hasNoEnd(part.error) ? new Interruption(CUT_SHORT) : part.error;
      if (part.type === "finish") {
        assertEnd(part.finishReason);
        const failure = endFailure(part.finishReason, hasText || held.length > 0);
        if (failure === undefined) yield* heldChunks(held, part.finishReason);
        const usage = usageChunk(part.usage, pricing);
        if (usage !== undefined) yield usage;
        // after the usage, because the generated tokens are billed
        if (failure !== undefined) throw failure;
        return;
      }
      const chunk = read(part);
      if (chunk === undefined) continue;
      if (chunk.type === "text") hasText = true;
      if (held.length > 0 || chunk.type === "tool_use") held.push(chunk);
      else yield chunk;
    }
    throw new Interruption(CUT_SHORT);
  } finally {
    stopped.abort();
  }
}

const CUT_SHORT = "the reply ended before it was complete";

// The error by which the package for compatible servers reports a reply without an end.
function hasNoEnd(error: unknown): boolean {
  return error instanceof Error && error.name === "AI_InvalidResponseDataError" && /finish reason/.test(error.message);
}

function assertEnd({ unified, raw }: LanguageModelV4FinishReason): void {
  // not all packages report interruptions: for some, the reason is then "other", without the provider's own one
  if (unified === "interrupted" || (unified === "other" && raw === undefined)) {
    throw new Interruption(CUT_SHORT);
  }
}

function heldChunks(held: readonly ModelChunk[], { unified }: LanguageModelV4FinishReason): readonly ModelChunk[] {
  const last = held.at(-1);
  return unified === "length" && last?.type === "tool_use" ? held.with(-1, atTokenLimit(last)) : held;
}

function endFailure({ unified, raw }: LanguageModelV4FinishReason, hasContent: boolean): Error | undefined {
  // Gemini parses the arguments of calls itself; another attempt may succeed
  if (raw === "MALFORMED_FUNCTION_CALL")
    return new Interruption("the model called a tool with arguments that are no JSON");
  if (unified === "error") return new Error(`the reply ended with an error (${raw ?? "no reason given"})`);
  if (unified === "content-filter") return new Error(`the provider stopped the reply (${raw ?? "content filter"})`);
  if (unified === "length" && !hasContent) {
    return new Error("all output tokens were used up before the reply began; allow more with maxOutputTokens");
  }
  return undefined;
}

type ReasoningPart = Extract<
  LanguageModelV4StreamPart,
  { type: "reasoning-start" | "reasoning-delta" | "reasoning-end" }
>;

interface Thought {
  readonly text: string;
  readonly seals: Readonly<Record<string, string>>;
}

/** Returns a function that converts the parts of one reply to chunks; undefined for empty parts, and for types that we ignore. */
function createPartReader(
  names: ReadonlyMap<string, { readonly name: string }>,
): (part: LanguageModelV4StreamPart) => ModelChunk | undefined {
  const thoughts = new Map<string, Thought>();

  function gather(part: ReasoningPart): Thought {
    const before = part.type === "reasoning-start" ? undefined : thoughts.get(part.id);
    const text = (before?.text ?? "") + (part.type === "reasoning-delta" ? part.delta : "");
    const thought = { text, seals: { ...before?.seals, ...readSeals(part.providerMetadata) } };
    thoughts.set(part.id, thought);
    return thought;
  }

  return (part) => {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? undefined : { type: "text", text: part.delta };
      case "reasoning-start":
        gather(part);
        return undefined;
      case "reasoning-delta":
        gather(part);
        return part.delta === "" ? undefined : { type: "reasoning", text: part.delta };
      case "reasoning-end":
        return reasoningBlockChunk(gather(part));
      case "tool-call":
        return part.providerExecuted === true ? undefined : toolUseChunk(part, names);
      default:
        return undefined;
    }
  };
}

function reasoningBlockChunk({ text, seals }: Thought): ReasoningBlockChunk | undefined {
  const isNothing = text === "" && Object.keys(seals).length === 0;
  return isNothing ? undefined : { type: "reasoning_block", block: { type: "reasoning", text, ...seals } };
}

/** The chunk of a finished call. `names` has the tools by the names that were sent. */
function toolUseChunk(
  { toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall,
  names: ReadonlyMap<string, { readonly name: string }>,
): ToolUseChunk {
  return {
    type: "tool_use",
    id: toolCallId,
    name: names.get(toolName)?.name ?? toolName,
    ...readInput(input),
    ...readSeals(providerMetadata),
  };
}

// Some models call tools without parameters with an empty text.
function readInput(text: string): Pick<ToolUseChunk, "input" | "brokenInput"> {
  if (text.trim() === "") return { input: {} };
  try {
    return { input: parseJson(text) };
  } catch {
    return { input: {}, brokenInput: text };
  }
}

/** The last call of a reply that reached its token limit: one without arguments is marked as broken, because the reply may have ended before them. */
function atTokenLimit(call: ToolUseChunk): ToolUseChunk {
  const { input, brokenInput } = call;
  const isEmpty = typeof input === "object" && input !== null && Object.keys(input).length === 0;
  return isEmpty && brokenInput === undefined ? { ...call, brokenInput: "" } : call;
}

/** The data that the cost of a request follows from. */
interface Pricing {
  readonly entry: ModelEntry;
  readonly isSelfHosted: boolean;
}

/** The usage with each token counted once, and its cost where that is known; undefined where none was reported. */
export function usageChunk(reported: LanguageModelV4Usage, { entry, isSelfHosted }: Pricing): UsageChunk | undefined {
  const { total, noCache, cacheRead, cacheWrite } = reported.inputTokens;
  if (total === undefined && noCache === undefined && reported.outputTokens.total === undefined) return undefined;
  const cacheReadTokens = cacheRead ?? 0;
  const cacheWriteTokens = cacheWrite ?? 0;
  const usage = {
    // negative where a server does not include the cached tokens in the prompt's total, as its API demands
    inputTokens: Math.max(0, noCache ?? (total ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: reported.outputTokens.total ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
  const totalCost = isSelfHosted ? 0 : priceOf(entry, usage);
  return { type: "usage", ...usage, ...(totalCost !== undefined && { totalCost }) };
}
