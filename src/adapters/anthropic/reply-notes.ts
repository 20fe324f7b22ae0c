import { asArray, asName, asNumber, asTokens, fieldAt } from "../../core/json/read-json.ts";
import { compactionIdentity } from "../../core/message/compaction-block.ts";
import type { ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { ReportedCacheMiss } from "../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { readBlock } from "./read-message.ts";

/** What a whole reply says about itself. */
export function notesOf(message: unknown): ReplyNotes {
  return {
    id: asName(fieldAt(message, "id")),
    compactions: asArray(fieldAt(message, "content")).flatMap(identityOf),
    compactionUsage: compactionUsageIn(fieldAt(message, "usage")),
    cacheMiss: cacheMissIn(fieldAt(message, "diagnostics")),
  };
}

/** The same after one more event of a stream. */
export function notesAfter(notes: ReplyNotes, event: unknown): ReplyNotes {
  switch (fieldAt(event, "type")) {
    case "message_start":
      return { ...notes, ...definedIn(notesOf(fieldAt(event, "message"))) };
    // A signature comes with the start of its block, all else with what follows.
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
          cacheMiss: cacheMissIn(fieldAt(event, "diagnostics") ?? fieldAt(event, "delta", "diagnostics")),
        }),
      };
    default:
      return notes;
  }
}

function withCompaction(notes: ReplyNotes, block: unknown): ReplyNotes {
  const found = identityOf(block);
  return found.length === 0 ? notes : { ...notes, compactions: [...notes.compactions, ...found] };
}

/** A block that is still empty may already have its signature. */
function identityOf(block: unknown): readonly string[] {
  if (fieldAt(block, "type") !== "compaction") return [];
  const signature = asName(fieldAt(block, "signature"));
  return [compactionIdentity(readBlock(block)) ?? signature ?? []].flat();
}

function definedIn(notes: Partial<ReplyNotes>): Partial<ReplyNotes> {
  return Object.fromEntries(Object.entries(notes).filter(([, value]) => value !== undefined));
}

/** A compaction is billed beside the reply's own usage. */
function compactionUsageIn(usage: unknown): ReportedUsage | undefined {
  const made = asArray(fieldAt(usage, "iterations")).filter((each) => fieldAt(each, "type") === "compaction");
  if (made.length === 0) return undefined;
  const sum = (field: string) => made.reduce<number>((total, each) => total + asTokens(fieldAt(each, field)), 0);
  return {
    inputTokens: sum("input_tokens"),
    cacheReadTokens: sum("cache_read_input_tokens"),
    cacheWriteTokens: sum("cache_creation_input_tokens"),
    outputTokens: sum("output_tokens"),
  };
}

/** Null reasons are those that the provider has not found yet. */
function cacheMissIn(diagnostics: unknown): ReportedCacheMiss | undefined {
  const reason = asName(fieldAt(diagnostics, "cache_miss_reason", "type"));
  const missedTokens = asNumber(fieldAt(diagnostics, "cache_miss_reason", "cache_missed_input_tokens"));
  return reason === undefined ? undefined : { reason, ...(missedTokens !== undefined && { missedTokens }) };
}
