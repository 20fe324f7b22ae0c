import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import { type JsonRecord, parseJson } from "../../core/transcript/read-json.ts";
import { findUsage, readUsage } from "./read-usage.ts";

/** Follows one reply: a stream line by line, anything else as the one JSON document that it is. */
export function followChatReply(): ReplyFollower {
  let report = NOTHING;
  let type: "unknown" | "document" | "stream" = "unknown";
  // Joined only at the end of a line: a document comes in many pieces.
  let pieces: string[] = [];
  return {
    push(text) {
      if (type === "unknown" && /\S/.test(text)) type = text.trimStart().startsWith("{") ? "document" : "stream";
      const lines = type === "stream" ? text.split(/\r\n|[\r\n]/) : [text];
      const rest = lines.pop() ?? "";
      for (const line of lines) {
        report = readLine(report, pieces.join("") + line);
        pieces = [];
      }
      if (rest !== "") pieces.push(rest);
    },
    usage() {
      // A stream that was cut, or whose last line has no end.
      const text = pieces.join("");
      const { usage, hasReasoning, hasCalls } = type === "document" ? readReply(report, text) : readLine(report, text);
      return usage === undefined ? undefined : readUsage(usage, hasReasoning && hasCalls);
    },
  };
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

function readLine(report: Report, line: string): Report {
  return line.startsWith("data:") ? readReply(report, line.slice("data:".length)) : report;
}

/** Parses only what can hold a report: a stream has many pieces, and they pass on a hot path. */
function readReply({ usage, hasReasoning, hasCalls }: Report, json: string): Report {
  return {
    usage: (json.includes('"usage"') ? findUsage(parseJson(json)) : undefined) ?? usage,
    hasReasoning: hasReasoning || REASONING.test(json),
    hasCalls: hasCalls || CALLS.test(json),
  };
}
