import { type EventMeaning, failed, followStream, SPEAKING } from "../../core/json/follow-stream.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import { fieldAt, type JsonRecord, parseJson } from "../../core/transcript/read-json.ts";
import { findUsage, readUsage } from "./read-usage.ts";

/** Follows one reply: a stream event by event, anything else as the one JSON document that it is. */
export function followChatReply(): ReplyFollower {
  let report = NOTHING;
  return followStream({
    readEvent({ data }) {
      report = readReply(report, data);
      return meaningOf(data);
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
    usage: (json.includes('"usage"') ? findUsage(parseJson(json)) : undefined) ?? usage,
    hasReasoning: hasReasoning || REASONING.test(json),
    hasCalls: hasCalls || CALLS.test(json),
  };
}

/** Some servers have the field in every piece, mostly null. */
function meaningOf(json: string): EventMeaning {
  const error = json.includes('"error"') ? (fieldAt(parseJson(json), "error") ?? undefined) : undefined;
  return error === undefined ? SPEAKING : failed(error);
}
