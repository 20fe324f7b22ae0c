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

/** Follows one reply: a stream event by event, anything else as one JSON document. */
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

/** What a reply has reported so far. */
interface Report {
  /** The last report counts: some servers send a growing total with every piece. */
  readonly usage: JsonRecord | undefined;
  readonly hasReasoning: boolean;
  readonly hasCalls: boolean;
}

const NOTHING: Report = { usage: undefined, hasReasoning: false, hasCalls: false };

// These match fields only: text of the model has its quotes escaped.
const REASONING = /"reasoning(?:_content)?"\s*:\s*"(?!")/;
const CALLS = /"tool_calls"\s*:\s*\[\s*\{/;

/** Adds what a piece reports. Parses only pieces that can hold usage: this runs for each of the many pieces of a stream. */
function readReply({ usage, hasReasoning, hasCalls }: Report, json: string): Report {
  return {
    usage: (json.includes('"usage"') ? findUsage(tryParseJson(json)) : undefined) ?? usage,
    hasReasoning: hasReasoning || REASONING.test(json),
    hasCalls: hasCalls || CALLS.test(json),
  };
}

function meaningOf(json: string): EventMeaning {
  const piece = tryParseJson(json);
  // Some servers send the field with every piece, as null.
  const error = fieldAt(piece, "error") ?? undefined;
  if (error !== undefined) return failed(error);
  const choices = asRecord(piece)?.choices;
  return Array.isArray(choices) && choices.every(isEmptyChoice) ? OPENING : SPEAKING;
}

/** Whether a choice has no content yet, as in the first piece of most streams, which only has the role. Unknown fields count as content. */
function isEmptyChoice(choice: unknown): boolean {
  const { delta, finish_reason: finishReason = null } = asRecord(choice) ?? {};
  return isRecord(delta) && finishReason === null && Object.entries(delta).every(isEmptyField);
}

function isEmptyField([name, value]: readonly [string, unknown]): boolean {
  return name === "role" || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The usage in a reply or in a piece of a stream, at any of the places where servers put it; undefined if there is none. */
function findUsage(reply: unknown): JsonRecord | undefined {
  const places = [
    fieldAt(reply, "usage"),
    ...asArray(fieldAt(reply, "choices")).map((choice) => fieldAt(choice, "usage")),
    fieldAt(reply, "x_groq", "usage"),
  ];
  return places.find((usage): usage is JsonRecord => isRecord(usage) && asNumber(usage.prompt_tokens) !== undefined);
}

/** Reads usage so that each token is counted once. `keepsReasoning`: the client sends the reply's reasoning back in later requests. */
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
