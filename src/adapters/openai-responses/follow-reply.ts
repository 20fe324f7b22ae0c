import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asName, asNumber, asRecord, asText, asTokens, fieldAt } from "../../core/json/read-json.ts";
import { compactionIdentity } from "../../core/message/compaction-block.ts";
import type { ReplyFollower, ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { ReportedCacheMiss } from "../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { ServerEvent } from "../splice/event-stream.ts";
import {
  type EventMeaning,
  failed,
  followStream,
  OPENING,
  SPEAKING,
  type UnreadReply,
} from "../splice/follow-stream.ts";

/** Follows a reply that is one document or a stream of events. Only events that may report usage or an error are parsed. */
export function followReply(): ReplyFollower {
  let last: unknown;
  return followStream({
    readEvent(event, isOpening) {
      last = reportingResponse(event) ?? last;
      return isOpening || MAY_FAIL.test(event.name || event.data) ? meaningOf(event) : SPEAKING;
    },
    readUsage: (unread) => readUsage(responseIn(unread) ?? last),
    readNotes: (unread) => readNotes(responseIn(unread) ?? last),
  });
}

/** Events that only say that the server has the request, or is still working. */
const OPENING_TYPES: ReadonlySet<string> = new Set(
  "response.created response.in_progress response.queued ping keepalive".split(" "),
);

// These match fields only: text of the model has its quotes escaped.
const MAY_FAIL = /^(?:error|response\.failed)$|"type"\s*:\s*"(?:error|response\.failed)"/;
const HAS_USAGE = /(?<!\\)"usage"\s*:\s*\{/;

function meaningOf({ name, data }: ServerEvent): EventMeaning {
  // not parsed, as these repeat the whole request
  if (OPENING_TYPES.has(name)) return OPENING;
  const event = tryParseJson(data);
  const type = asText(fieldAt(event, "type")) ?? name;
  if (type === "response.failed") return failed(fieldAt(event, "response", "error") ?? event);
  if (type === "error") return failed(fieldAt(event, "error") ?? event);
  return OPENING_TYPES.has(type) ? OPENING : SPEAKING;
}

/** The response in an event that reports usage; undefined for any other event. */
function reportingResponse({ data }: ServerEvent): unknown {
  return HAS_USAGE.test(data) ? fieldAt(tryParseJson(data), "response") : undefined;
}

function responseIn(unread: UnreadReply): unknown {
  if (unread.type === "document") return tryParseJson(unread.text);
  return unread.event && reportingResponse(unread.event);
}

function readNotes(response: unknown): ReplyNotes {
  const compactions = asArray(fieldAt(response, "output")).flatMap((item) => {
    return compactionIdentity({ ...Object(item), type: String(fieldAt(item, "type")) }) ?? [];
  });
  return { id: asName(fieldAt(response, "id")), compactions, cacheMiss: cacheMissIn(response) };
}

/** Why the cache missed; undefined if it was hit. If the provider could not compare, its report of that is the reason. */
function cacheMissIn(response: unknown): ReportedCacheMiss | undefined {
  const diagnostics = fieldAt(response, "prompt_cache_diagnostics");
  const type = asName(fieldAt(diagnostics, "type"));
  if (type === undefined || type === "cache_hit") return undefined;
  const missedTokens = asNumber(fieldAt(diagnostics, "cache_missed_tokens"));
  const reason = asName(fieldAt(diagnostics, "reason")) ?? type;
  return { reason, ...(missedTokens !== undefined && { missedTokens }) };
}

/** Usage with each token counted once: the API's prompt total includes cached tokens, and its output total includes reasoning. */
function readUsage(response: unknown): ReportedUsage | undefined {
  const usage = asRecord(asRecord(response)?.usage);
  if (usage === undefined) return undefined;
  const details = asRecord(usage.input_tokens_details);
  const promptTokens = asTokens(usage.input_tokens);
  const cacheReadTokens = Math.min(promptTokens, asTokens(details?.cached_tokens));
  const cacheWriteTokens = Math.min(promptTokens - cacheReadTokens, asTokens(details?.cache_write_tokens));
  const replyTokens = asTokens(usage.output_tokens);
  const reasoningTokens = Math.min(replyTokens, asTokens(asRecord(usage.output_tokens_details)?.reasoning_tokens));
  return {
    inputTokens: promptTokens - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: replyTokens - reasoningTokens,
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  };
}
