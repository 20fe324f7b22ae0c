import type { Block } from "../../core/message/message.ts";
import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import type { RequestUsage, TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import { stamped } from "../../core/transcript/transcript-draft.ts";
import type { ReplyPart, SessionRecord, UserPart } from "./read-record.ts";

interface OpenReply {
  readonly first: ReplyPart;
  /** Where it lies among the entries. */
  readonly index: number;
  readonly blocks: Block[];
  usage: RequestUsage | undefined;
}

/** The entries of a conversation: the lines of one reply become one message, at the place of its first line. */
export function mergeReplies(records: readonly SessionRecord[]): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  let open: OpenReply | undefined;
  for (const { id, part } of records) {
    if (part === undefined) continue;
    if (part.type === "reply") {
      if (open === undefined || !isSameReply(open.first, part)) {
        open = { first: part, index: entries.length, blocks: [], usage: undefined };
      }
      for (const block of part.blocks) open.blocks.push(block);
      // The output count of the first lines is that of an unfinished stream.
      open.usage = part.usage ?? open.usage;
      entries[open.index] = replyEntry(open);
      continue;
    }
    if (part.type === "boundary") {
      entries.push({ type: "compaction", ...(part.tokensBefore && { tokensBefore: part.tokensBefore }) });
      open = undefined;
      continue;
    }
    if (part.kind === "summary") addSummary(entries, part);
    entries.push({ type: "message", message: stamped("user", part.content, { id, ts: part.ts }) });
    // Results come while a reply is still being written; a new request ends it, whatever ids a proxy may invent.
    if (part.kind !== "attached" && !hasResult(part)) open = undefined;
  }
  return entries;
}

function isSameReply(first: ReplyPart, part: ReplyPart): boolean {
  return first.replyId === part.replyId && first.requestId === part.requestId;
}

function replyEntry({ first, blocks, usage }: OpenReply): TranscriptEntry {
  return { type: "message", message: stamped("assistant", blocks, { id: first.replyId, ts: first.ts }), usage };
}

function hasResult({ content }: UserPart): boolean {
  return contentBlocks(content).some(isToolResult);
}

/** The summary belongs to the boundary right before it; older files have no boundary. */
function addSummary(entries: TranscriptEntry[], { content }: UserPart): void {
  const summary = typeof content === "string" ? content : content.map(textOf).join("");
  const last = entries.at(-1);
  if (last?.type === "compaction") entries[entries.length - 1] = { ...last, summary };
  else entries.push({ type: "compaction", summary });
}

function textOf(block: Block): string {
  return "text" in block && typeof block.text === "string" ? block.text : "";
}
