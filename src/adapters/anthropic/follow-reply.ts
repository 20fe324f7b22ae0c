import { tryParseJson } from "../../core/json/parse-json.ts";
import { asNumber, asRecord, fieldAt } from "../../core/json/read-json.ts";
import type { ReplyFollower, ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { type EventMeaning, failed, followStream, OPENING, SPEAKING } from "../splice/follow-stream.ts";
import { notesAfter, notesOf } from "./reply-notes.ts";

/** Follows a reply that is one JSON document or a stream of events, of which only those with something to tell are parsed. */
export function followReply(): ReplyFollower {
  let usage: ReportedUsage | undefined;
  let notes: ReplyNotes = { compactions: [] };
  return followStream({
    readEvent({ name, data }, isOpening) {
      if (!isOpening && name !== "error" && !isTelling(data)) return SPEAKING;
      const event = tryParseJson(data);
      usage = usageAfter(usage, event);
      notes = notesAfter(notes, event);
      return meaningOf(name, event);
    },
    readUsage(unread) {
      if (unread.type === "document") return mergeUsage(usage, fieldAt(tryParseJson(unread.text), "usage"));
      return unread.event === undefined ? usage : usageAfter(usage, tryParseJson(unread.event.data));
    },
    readNotes(unread) {
      if (unread.type === "document") return notesOf(tryParseJson(unread.text));
      return unread.event === undefined ? notes : notesAfter(notes, tryParseJson(unread.event.data));
    },
  });
}

/** In a text that the model says, the quotes are escaped. */
function isTelling(data: string): boolean {
  return data.includes('"usage"') || data.includes('"error"') || data.includes('"compaction');
}

/** A message that has started has no content yet; its first block, be it of thoughts, is the first of it. */
function meaningOf(name: string, event: unknown): EventMeaning {
  switch (fieldAt(event, "type") ?? name) {
    case "ping":
    case "message_start":
      return OPENING;
    case "error":
      return failed(fieldAt(event, "error") ?? event);
    default:
      return SPEAKING;
  }
}

/** Only what starts and what ends a message tells what it used. */
function usageAfter(usage: ReportedUsage | undefined, event: unknown): ReportedUsage | undefined {
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
