import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { ScriptedReply, ScriptedToolCall, ScriptedUsage } from "./model-server.ts";

/** A reply with everything decided but its wire form. */
export interface Answer {
  /** Grows by one per request: replies can be told apart and are the same in every run. */
  readonly serial: number;
  readonly text: string;
  readonly reasoning: string | undefined;
  readonly calls: readonly ScriptedToolCall[];
  readonly usage: AnswerUsage;
}

export interface AnswerUsage extends Required<ScriptedUsage> {
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number;
}

type SpokenReply = Extract<ScriptedReply, { type: "text" | "tool-calls" | "hang-mid-stream" | "cut" }>;

export function answerOf(reply: SpokenReply, promptTokens: number, serial: number): Answer {
  const text = reply.text ?? "";
  const reasoning = "reasoning" in reply ? reply.reasoning : undefined;
  const calls = reply.type === "tool-calls" ? reply.calls : [];
  const given = "usage" in reply ? (reply.usage ?? {}) : {};
  const spoken = { text, reasoning, calls };
  return { serial, ...spoken, usage: usageOf(given, spoken, promptTokens) };
}

function usageOf(
  given: ScriptedUsage,
  { text, reasoning = "", calls }: Pick<Answer, "text" | "reasoning" | "calls">,
  promptTokens: number,
): AnswerUsage {
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = given;
  const callsText = calls.map(({ name, input }) => name + JSON.stringify(input)).join("");
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
