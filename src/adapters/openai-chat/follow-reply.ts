import { tryParseJson } from "../../core/json/parse-json.ts";
import {
  asArray,
  asNumber,
  asRecord,
  asTokens,
  fieldAt,
  isRecord,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { type EventMeaning, failed, followStream, OPENING, SPEAKING } from "../splice/follow-stream.ts";

/** Follows one reply: a stream event by event, anything else as the one JSON document that it is. */
export function followChatReply(): ReplyFollower {
  let report = NOTHING;
  return followStream({
    readEvent({ data }, isOpening) {
      report = readReply(report, data);
      return isOpening || data.includes('"error"') ? meaningOf(data) : SPEAKING;
    },
    readUsage(unread) {
      const text = unread.type === "document" ? unread.text : (unread.event?.data ?? "");
      const { usage, hasReasoning, hasCalls } = readReply(report, text);
      return usage === undefined ? undefined : readUsage(usage, hasReasoning && hasCalls);
    },
  });
}

/** What is known of a reply so far. */
interface Report {
  /** The last one: some servers report with every piece, the totals growing. */
  readonly usage: JsonRecord | undefined;
  readonly hasReasoning: boolean;
  readonly hasCalls: boolean;
}

const NOTHING: Report = { usage: undefined, hasReasoning: false, hasCalls: false };

// Inside a text, the quotes would be escaped: these find fields only.
const REASONING = /"reasoning(?:_content)?"\s*:\s*"(?!")/;
const CALLS = /"tool_calls"\s*:\s*\[\s*\{/;

/** Parses only what can hold a report: a stream has many pieces, and they pass on a hot path. */
function readReply({ usage, hasReasoning, hasCalls }: Report, json: string): Report {
  return {
    usage: (json.includes('"usage"') ? findUsage(tryParseJson(json)) : undefined) ?? usage,
    hasReasoning: hasReasoning || REASONING.test(json),
    hasCalls: hasCalls || CALLS.test(json),
  };
}

function meaningOf(json: string): EventMeaning {
  const piece = tryParseJson(json);
  // Some servers have the field in every piece, mostly null.
  const error = fieldAt(piece, "error") ?? undefined;
  if (error !== undefined) return failed(error);
  const choices = asRecord(piece)?.choices;
  return Array.isArray(choices) && choices.every(isEmptyChoice) ? OPENING : SPEAKING;
}

/** Whether it says who will speak, and nothing else: the first piece of most streams. What is unknown is content. */
function isEmptyChoice(choice: unknown): boolean {
  const { delta, finish_reason: finishReason = null } = asRecord(choice) ?? {};
  return isRecord(delta) && finishReason === null && Object.entries(delta).every(isEmptyField);
}

function isEmptyField([name, value]: readonly [string, unknown]): boolean {
  return name === "role" || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The report in a reply or in a piece of a stream, wherever servers of this wire put it. */
function findUsage(reply: unknown): JsonRecord | undefined {
  const places = [
    fieldAt(reply, "usage"),
    ...asArray(fieldAt(reply, "choices")).map((choice) => fieldAt(choice, "usage")),
    fieldAt(reply, "x_groq", "usage"),
  ];
  return places.find((usage): usage is JsonRecord => isRecord(usage) && asNumber(usage.prompt_tokens) !== undefined);
}

/** Each token counted once. `keepsReasoning`: the client sends the reply's reasoning back. */
function readUsage(usage: JsonRecord, keepsReasoning: boolean): ReportedUsage {
  const promptTokens = asTokens(usage.prompt_tokens);
  const cached =
    asNumber(fieldAt(usage, "prompt_tokens_details", "cached_tokens")) ??
    asNumber(usage.prompt_cache_hit_tokens) ??
    asNumber(usage.cached_tokens);
  const cacheReadTokens = Math.min(asTokens(cached), promptTokens);
  const written = asTokens(fieldAt(usage, "prompt_tokens_details", "cache_write_tokens"));
  const cacheWriteTokens = Math.min(written, promptTokens - cacheReadTokens);
  const reasoningTokens = asTokens(fieldAt(usage, "completion_tokens_details", "reasoning_tokens"));
  const replyTokens = asTokens(usage.completion_tokens);
  return {
    inputTokens: promptTokens - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: keepsReasoning ? replyTokens : Math.max(0, replyTokens - reasoningTokens),
    ...(keepsReasoning || reasoningTokens === 0 ? {} : { reasoningTokens: Math.min(reasoningTokens, replyTokens) }),
  };
}
