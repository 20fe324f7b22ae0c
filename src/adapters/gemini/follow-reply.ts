import { tryParseJson } from "../../core/json/parse-json.ts";
import { asNumber, asRecord, asTokens, fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { EventStream, ServerEvent } from "../splice/event-stream.ts";
import { type EventMeaning, failed, followStream, OPENING, SPEAKING } from "../splice/follow-stream.ts";

/** Follows a reply that is one object, a list of objects, or events that hold one object each. */
export function followReply(): ReplyFollower {
  // each piece of a stream reports the usage up to it: the last report counts
  let usage: ReportedUsage | undefined;
  return followStream({
    splitList: createObjectStream,
    readEvent({ data }, isOpening) {
      usage = usageIn(data) ?? usage;
      return isOpening || data.includes('"error"') ? meaningOf(tryParseJson(data)) : SPEAKING;
    },
    readUsage(unread) {
      return usageIn(unread.type === "document" ? unread.text : (unread.event?.data ?? "")) ?? usage;
    },
  });
}

function meaningOf(piece: unknown): EventMeaning {
  const fields = asRecord(piece);
  const error = fields?.error ?? undefined;
  if (error !== undefined) return failed(error);
  const { candidates = [], promptFeedback } = fields ?? {};
  const isSilent = isRecord(piece) && promptFeedback === undefined && Array.isArray(candidates);
  return isSilent && candidates.every(isEmptyCandidate) ? OPENING : SPEAKING;
}

/** Whether a candidate has no content and has not ended: some proxies begin a stream with usage alone. Unknown fields of parts count as content. */
function isEmptyCandidate(candidate: unknown): boolean {
  const { content = {}, finishReason } = asRecord(candidate) ?? {};
  const parts = fieldAt(content, "parts") ?? [];
  return finishReason === undefined && Array.isArray(parts) && parts.every(isEmptyPart);
}

/** A signature may come on an empty text. */
function isEmptyPart(part: unknown): boolean {
  return isRecord(part) && Object.entries(part).every(([name, value]) => name === "text" && value === "");
}

/** The usage in a piece, with each token counted once: Gemini's prompt count includes cached tokens, its candidates' count excludes thoughts. */
function usageIn(text: string): ReportedUsage | undefined {
  const metadata = text.includes('"usageMetadata"') ? fieldAt(tryParseJson(text), "usageMetadata") : undefined;
  const promptTokens = asNumber(fieldAt(metadata, "promptTokenCount"));
  if (promptTokens === undefined) return undefined;
  const cacheReadTokens = Math.min(promptTokens, asTokens(fieldAt(metadata, "cachedContentTokenCount")));
  const outputTokens = asTokens(fieldAt(metadata, "candidatesTokenCount"));
  const reasoningTokens = asTokens(fieldAt(metadata, "thoughtsTokenCount"));
  return {
    inputTokens: promptTokens - cacheReadTokens,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(outputTokens > 0 ? { outputTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  };
}

/** Splits a JSON list into its objects as they come: without `alt=sse`, Gemini streams one list. */
function createObjectStream(): EventStream {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let begun = "";
  return {
    push(piece) {
      const objects: ServerEvent[] = [];
      let start = 0;
      for (let at = 0; at < piece.length; at++) {
        const character = piece[at];
        if (isEscaped) isEscaped = false;
        else if (isInString) {
          if (character === "\\") isEscaped = true;
          else if (character === '"') isInString = false;
        } else if (character === '"') isInString = true;
        else if (character === "{") {
          if (depth === 0) start = at;
          depth++;
        } else if (character === "}") {
          depth--;
          if (depth > 0) continue;
          objects.push({ name: "", data: begun + piece.slice(start, at + 1) });
          begun = "";
          depth = 0;
        }
      }
      if (depth > 0) begun += piece.slice(start);
      return objects;
    },
    rest: () => undefined,
  };
}
