import { asArray, asText, asTokens, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { isCompactionBlock } from "../../core/message/compaction-block.ts";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import { priceOf } from "../../core/models/price.ts";
import type { CondensationOptions } from "../../core/ports/condensation.ts";

/** The part of Anthropic's official client that is used here. */
export interface AnthropicCompactionClient {
  readonly beta: {
    readonly messages: { create(body: CompactionBody, options?: CompactionCallOptions): PromiseLike<unknown> };
  };
}

/** The part of OpenAI's official client that is used here. */
export interface OpenAiCompactionClient {
  readonly responses: { compact(body: CompactionBody, options?: CompactionCallOptions): PromiseLike<unknown> };
}

/** A request for a compaction, in its provider's format. */
export interface CompactionBody {
  readonly model?: unknown;
}

export type CompactionClient = AnthropicCompactionClient | OpenAiCompactionClient;

/** The options that the official clients take with a request. */
export interface CompactionCallOptions {
  readonly signal?: AbortSignal | null;
  readonly timeout?: number;
  readonly maxRetries?: number;
}

export interface CompactionReply {
  /** The messages to send from now on in place of those that were compacted. */
  readonly window: readonly Message[];
  /** Empty where only the provider can read it. */
  readonly summary: string;
  readonly costUsd: number;
}

export interface AskedCompaction {
  readonly view: readonly Message[];
  readonly model: string;
  readonly instructions: string | undefined;
  readonly options: CondensationOptions;
}

const ANTHROPIC_BETA = "compact-2026-09-04";
/** The most tokens that a summary may take. */
const MAX_SUMMARY_TOKENS = 8_192;

export async function askAnthropic(
  client: AnthropicCompactionClient,
  asked: AskedCompaction,
): Promise<CompactionReply> {
  const { view, model, instructions, options } = asked;
  // Loaded here, as only condensers of this kind need the converters.
  const { fromAnthropic, toAnthropic } = await import("../../messages/anthropic/index.ts");
  const prompt = toAnthropic(view, { system: options.systemPrompt });
  const tools = toolsIn(view);
  const body = {
    ...prompt,
    model,
    max_tokens: MAX_SUMMARY_TOKENS,
    ...(tools.length > 0 && { tools }),
    betas: [ANTHROPIC_BETA],
    compaction: { type: "summarize", ...(instructions !== undefined && { instructions }) },
  };
  const reply = await client.beta.messages.create(body, callOptions(options));
  const window = fromAnthropic([{ role: "assistant", content: asArray(fieldAt(reply, "content")).filter(isRecord) }]);
  const summaries = window.flatMap(({ content }) => contentBlocks(content).filter(isCompactionBlock));
  const usages = asArray(fieldAt(reply, "usage", "iterations"));
  return {
    window,
    summary: summaries.map((block) => asText(fieldAt(block, "content")) ?? "").join("\n"),
    costUsd: usages.reduce<number>((sum, usage) => sum + costOf(model, usage), 0),
  };
}

export async function askOpenAi(client: OpenAiCompactionClient, asked: AskedCompaction): Promise<CompactionReply> {
  const { view, model, options } = asked;
  const { fromOpenAiResponses, toOpenAiResponses } = await import("../../messages/openai-responses/index.ts");
  const body = { ...toOpenAiResponses(view, { system: options.systemPrompt }), model };
  const reply = await client.responses.compact(body, callOptions(options));
  const window = fromOpenAiResponses(asArray(fieldAt(reply, "output")).filter(isRecord));
  return { window, summary: "", costUsd: costOf(model, fieldAt(reply, "usage")) };
}

function callOptions({ signal, timeoutMs }: CondensationOptions): CompactionCallOptions {
  return { ...(signal !== undefined && { signal }), timeout: timeoutMs, maxRetries: 0 };
}

/** Declarations of all tools that the view calls: Anthropic refuses calls of undeclared tools. Their schemas do not matter for a compaction. */
function toolsIn(view: readonly Message[]) {
  const calls = view.flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  return [...new Set(calls.map(({ name }) => name))].map((name) => ({ name, input_schema: { type: "object" } }));
}

function costOf(model: string, usage: unknown): number {
  const tokens = (name: string) => asTokens(fieldAt(usage, name));
  const cached = asTokens(fieldAt(usage, "input_tokens_details", "cached_tokens"));
  const read = tokens("cache_read_input_tokens") + cached;
  const price = priceOf(model, {
    inputTokens: Math.max(0, tokens("input_tokens") - cached),
    cacheReadTokens: read,
    cacheWriteTokens: tokens("cache_creation_input_tokens"),
    outputTokens: tokens("output_tokens"),
  });
  return price ?? 0;
}
