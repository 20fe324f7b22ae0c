import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { asNumber, asRecord, fieldAt, parseJson } from "../../core/transcript/read-json.ts";

/** Follows a reply that is one JSON document or a stream of events. */
export function followReply(): ReplyFollower {
  // In pieces: joined at each push, a long line that comes in many of them would cost its square.
  let line: string[] = [];
  let isDocument: boolean | undefined;
  let usage: ReportedUsage | undefined;
  const endLine = () => {
    usage = readEvent(line.join(""), usage);
    line = [];
  };
  return {
    push(text) {
      isDocument ??= text.trimStart() === "" ? undefined : text.trimStart().startsWith("{");
      if (isDocument === true) {
        line.push(text);
        return;
      }
      const [rest = "", ...next] = text.split("\n");
      line.push(rest);
      for (const start of next) {
        endLine();
        line.push(start);
      }
    },
    usage() {
      return isDocument === true ? mergeUsage(usage, fieldAt(parseJson(line.join("")), "usage")) : usage;
    },
  };
}

/** Only what starts and what ends a message tells what it used. */
function readEvent(line: string, usage: ReportedUsage | undefined): ReportedUsage | undefined {
  if (!line.startsWith("data:") || !line.includes('"usage"')) return usage;
  const event = parseJson(line.slice("data:".length));
  switch (fieldAt(event, "type")) {
    case "message_start":
      return mergeUsage(usage, fieldAt(event, "message", "usage"));
    case "message_delta":
      return mergeUsage(usage, fieldAt(event, "usage"));
    default:
      return usage;
  }
}

/** Each report is a sum up to then, so none is smaller; later ones may leave out what the first one told. */
function mergeUsage(earlier: ReportedUsage | undefined, reported: unknown): ReportedUsage | undefined {
  const fields = asRecord(reported);
  const inputTokens = largest(fields?.input_tokens, earlier?.inputTokens);
  if (fields === undefined || inputTokens === undefined) return earlier;
  const cacheReadTokens = largest(fields.cache_read_input_tokens, earlier?.cacheReadTokens);
  const cacheWriteTokens = largest(fields.cache_creation_input_tokens, earlier?.cacheWriteTokens);
  const outputTokens = largest(fields.output_tokens, earlier?.outputTokens);
  return {
    inputTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

function largest(reported: unknown, earlier: number | undefined): number | undefined {
  const tokens = asNumber(reported);
  return tokens === undefined || tokens < 0 ? earlier : Math.max(tokens, earlier ?? 0);
}
