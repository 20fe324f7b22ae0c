import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asName, asNumber, asRecord, asTokens, fieldAt } from "../../core/json/read-json.ts";
import { compactionIdentity } from "../../core/message/compaction-block.ts";
import type { ReplyFollower, ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { ReportedCacheMiss } from "../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { type EventMeaning, failed, followStream, OPENING, SPEAKING } from "../splice/follow-stream.ts";
import { clearedIn } from "./clearing.ts";
import { readBlock } from "./read-message.ts";

/** Follows a reply that is a JSON document or a stream of events. Only events that may carry usage, errors or compactions are parsed. */
export function followReply(): ReplyFollower {
  let usage: ReportedUsage | undefined;
  let notes: ReplyNotes = { compactions: [] };
  return followStream({
    readEvent({ name, data }, isOpening) {
      if (!isOpening && name !== "error" && !mayCarryNotes(data)) return SPEAKING;
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

/** Whether an event may hold usage, an error or a compaction. Text of the model never matches, as its quotes are escaped. */
function mayCarryNotes(data: string): boolean {
  return data.includes('"usage"') || data.includes('"error"') || data.includes('"compaction');
}

/** The start of a message is no content yet; its first block is, be it thinking or text. */
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

/** Only the events that start and end a message report its usage. */
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

/** Usage is reported cumulatively, and later reports may leave out fields of the first: the largest number of each field counts. */
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

/** What a whole reply says about itself. */
function notesOf(message: unknown): ReplyNotes {
  return {
    id: asName(fieldAt(message, "id")),
    compactions: asArray(fieldAt(message, "content")).flatMap(identityOf),
    compactionUsage: compactionUsageIn(fieldAt(message, "usage")),
    cleared: clearedIn(message),
    cacheMiss: cacheMissIn(fieldAt(message, "diagnostics")),
  };
}

/** The notes with what one more event of the stream adds. */
function notesAfter(notes: ReplyNotes, event: unknown): ReplyNotes {
  switch (fieldAt(event, "type")) {
    case "message_start":
      return { ...notes, ...definedIn(notesOf(fieldAt(event, "message"))) };
    // A compaction's signature comes with the start of its block, its content with the deltas.
    case "content_block_start":
      return withCompaction(notes, fieldAt(event, "content_block"));
    case "content_block_delta":
      if (fieldAt(event, "delta", "type") !== "compaction_delta") return notes;
      return withCompaction(notes, { ...Object(fieldAt(event, "delta")), type: "compaction" });
    case "message_delta":
      return {
        ...notes,
        ...definedIn({
          compactionUsage: compactionUsageIn(fieldAt(event, "usage")),
          cleared: clearedIn(event),
          cacheMiss: cacheMissIn(fieldAt(event, "diagnostics") ?? fieldAt(event, "delta", "diagnostics")),
        }),
      };
    default:
      return notes;
  }
}

function withCompaction(notes: ReplyNotes, block: unknown): ReplyNotes {
  const identities = identityOf(block);
  return identities.length === 0 ? notes : { ...notes, compactions: [...notes.compactions, ...identities] };
}

/** By what a compaction is known: its content, or the signature of a block whose content has not come yet. Empty for any other block. */
function identityOf(block: unknown): readonly string[] {
  if (fieldAt(block, "type") !== "compaction") return [];
  const signature = asName(fieldAt(block, "signature"));
  return [compactionIdentity(readBlock(block)) ?? signature ?? []].flat();
}

function definedIn(notes: Partial<ReplyNotes>): Partial<ReplyNotes> {
  return Object.fromEntries(Object.entries(notes).filter(([, value]) => value !== undefined));
}

/** The usage of the provider's compactions, which is billed in addition to the reply's own; undefined if there were none. */
function compactionUsageIn(usage: unknown): ReportedUsage | undefined {
  const compactions = asArray(fieldAt(usage, "iterations")).filter(
    (iteration) => fieldAt(iteration, "type") === "compaction",
  );
  if (compactions.length === 0) return undefined;
  const sum = (field: string) =>
    compactions.reduce<number>((total, iteration) => total + asTokens(fieldAt(iteration, field)), 0);
  return {
    inputTokens: sum("input_tokens"),
    cacheReadTokens: sum("cache_read_input_tokens"),
    cacheWriteTokens: sum("cache_creation_input_tokens"),
    outputTokens: sum("output_tokens"),
  };
}

/** Why the cache missed; undefined if the reason is null, which means that the provider has not found it yet. */
function cacheMissIn(diagnostics: unknown): ReportedCacheMiss | undefined {
  const reason = asName(fieldAt(diagnostics, "cache_miss_reason", "type"));
  const missedTokens = asNumber(fieldAt(diagnostics, "cache_miss_reason", "cache_missed_input_tokens"));
  return reason === undefined ? undefined : { reason, ...(missedTokens !== undefined && { missedTokens }) };
}
