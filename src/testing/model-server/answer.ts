import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { CacheDiagnosis } from "./cache/cache-diagnosis.ts";
import type { PromptCacheUse, ScriptedReply, ScriptedToolCall, ScriptedUsage } from "./model-server.ts";

/** A reply, independent of the form of its wire. */
export interface Answer {
  /** Counts the requests: replies have different ids, and the same ones in every run. */
  readonly serial: number;
  readonly text: string;
  readonly reasoning: string | undefined;
  readonly redactedReasoning: string | undefined;
  readonly calls: readonly ScriptedToolCall[];
  /** Whether the script sets raw arguments, which a provider that parses arguments itself cannot return. */
  readonly isMalformed: boolean;
  readonly usage: AnswerUsage;
  /** The comparison with an earlier request; absent where none was asked for. */
  readonly diagnosis?: CacheDiagnosis | undefined;
}

export interface AnswerUsage extends Required<ScriptedUsage> {
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number;
}

type SpokenReply = Extract<ScriptedReply, { type: "text" | "tool-calls" | "hang-mid-stream" | "cut" | "trail-off" }>;

/** The data of a request that its reply reports. */
export interface AnsweredRequest {
  readonly serial: number;
  readonly promptTokens: number;
  readonly cache: PromptCacheUse | undefined;
  readonly diagnosis?: CacheDiagnosis | undefined;
}

export function answerOf(reply: SpokenReply, request: AnsweredRequest): Answer {
  const text = reply.text ?? "";
  const reasoning = "reasoning" in reply ? reply.reasoning : undefined;
  const redactedReasoning = "redactedReasoning" in reply ? reply.redactedReasoning : undefined;
  const scripted = "calls" in reply ? (reply.calls ?? []) : [];
  const isMalformed = scripted.some(({ rawInput }) => rawInput !== undefined);
  const isWhole = reply.type === "text" || reply.type === "tool-calls";
  const calls = isWhole ? scripted : withHalfOfLast(scripted);
  const given = "usage" in reply ? (reply.usage ?? {}) : {};
  const spoken = { text, reasoning, calls };
  const { serial, diagnosis } = request;
  return { serial, ...spoken, redactedReasoning, isMalformed, usage: usageOf(given, spoken, request), diagnosis };
}

/** The arguments of a call as the text that a wire streams. */
export function argumentsOf({ input, rawInput }: ScriptedToolCall): string {
  return rawInput ?? JSON.stringify(input);
}

function withHalfOfLast(calls: readonly ScriptedToolCall[]): readonly ScriptedToolCall[] {
  return calls.map((call, index) => {
    if (index < calls.length - 1) return call;
    const whole = argumentsOf(call);
    return { ...call, rawInput: whole.slice(0, Math.floor(whole.length / 2)) };
  });
}

function usageOf(
  given: ScriptedUsage,
  { text, reasoning = "", calls }: Pick<Answer, "text" | "reasoning" | "calls">,
  { promptTokens, cache }: AnsweredRequest,
): AnswerUsage {
  const isScripted = given.cacheReadTokens !== undefined || given.cacheWriteTokens !== undefined;
  const simulated = isScripted ? undefined : cache;
  const { cacheReadTokens = simulated?.readTokens ?? 0, cacheWriteTokens = simulated?.writeTokens ?? 0 } = given;
  const callsText = calls.map((call) => call.name + argumentsOf(call)).join("");
  const countedReasoning = countTextTokens(reasoning);
  const counted = countTextTokens(text) + countTextTokens(callsText) + countedReasoning;
  const outputTokens = given.outputTokens ?? counted;
  return {
    cacheReadTokens,
    cacheWriteTokens,
    inputTokens: given.inputTokens ?? Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens),
    outputTokens,
    reasoningTokens: Math.min(countedReasoning, outputTokens),
  };
}
