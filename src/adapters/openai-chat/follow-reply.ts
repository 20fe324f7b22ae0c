import { tryParseJson } from "../../core/json/parse-json.ts";
import { asRecord, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import { type EventMeaning, failed, followStream, OPENING, SPEAKING } from "../splice/follow-stream.ts";
import { findUsage, readUsage } from "./read-usage.ts";

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
