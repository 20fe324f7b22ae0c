import { asName, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import {
  assembleTranscript,
  type RequestUsage,
  type TranscriptEntry,
} from "../../core/transcript/assemble-transcript.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import { stamped } from "../../core/transcript/transcript-draft.ts";
import { type ReplyPart, readPart, type SessionRecord, type UserPart } from "./read-record.ts";
import { selectRecords } from "./select-records.ts";

export { writeClaudeCode } from "./write.ts";

const NAME = "claude-code";

/** Sessions of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and those of its sub-agents. */
export const claudeCodeFormat: LinesFormat = {
  type: "lines",
  name: NAME,
  detect: (records) => records.some((record) => isRecord(record) && isSessionRecord(record)),
  createReader,
};

/** Types of lines that may come before the first line of the tree. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set([
  "file-history-snapshot",
  "last-prompt",
  "permission-mode",
  "ai-title",
]);

function isSessionRecord(record: JsonRecord): boolean {
  if ("parentUuid" in record) return typeof record.type === "string" && asName(record.uuid) !== undefined;
  if (record.type === "summary") return asName(record.leafUuid) !== undefined;
  if (record.type === "queue-operation") return asName(record.operation) !== undefined;
  return BOOKKEEPING.has(record.type) && (asName(record.sessionId) ?? asName(record.messageId)) !== undefined;
}

function createReader(): TranscriptReader {
  const records = new Map<string, SessionRecord>();
  const problems: TranscriptProblem[] = [];
  let [sessionId, workingDirectory, modelId]: (string | undefined)[] = [];
  // The lines of sub-agents form trees of their own.
  let [lastMainId, lastSideId]: (string | undefined)[] = [];

  const add = (record: JsonRecord, line: number): void => {
    const isSidechain = record.isSidechain === true;
    const previousId = isSidechain ? lastSideId : lastMainId;
    const id = asName(record.uuid) ?? `line-${line}`;
    const { part, problems: partProblems } = readPart(record, id, `line ${line}`);
    for (const problem of partProblems) problems.push(problem);
    const earlier = records.get(id);
    if (earlier !== undefined) {
      if (serialize(earlier.part) === serialize(part)) return;
      problems.push({
        where: `line ${line}`,
        reason: `Line ${earlier.line} has the same uuid; this one was passed over.`,
      });
      return;
    }
    records.set(id, { id, parentId: parentIdOf(record, previousId), previousId, line, isSidechain, part });
    if (part?.type === "reply") modelId = part.modelId ?? modelId;
    if (isSidechain) lastSideId = id;
    else lastMainId = id;
  };

  return {
    read(record, line) {
      if (!isRecord(record)) {
        problems.push({ where: `line ${line}`, reason: "This is no record." });
        return;
      }
      sessionId = asName(record.sessionId) ?? sessionId;
      workingDirectory ??= asName(record.cwd);
      if (isTreeRecord(record)) add(record, line);
    },
    finish() {
      const selected = selectRecords(records);
      return assembleTranscript(mergeReplies(selected.records), {
        format: NAME,
        problems: [...problems, ...selected.problems],
        sessionId,
        workingDirectory,
        modelId,
      });
    },
  };
}

/** Whether a line belongs to the tree: it has a uuid, or is a message without one, as in files that were stripped. */
function isTreeRecord(record: JsonRecord): boolean {
  return asName(record.uuid) !== undefined || record.type === "user" || record.type === "assistant";
}

function parentIdOf(record: JsonRecord, previousId: string | undefined): string | undefined {
  // A compaction starts a new tree; the records that it continues may be gone.
  if (record.type === "system" && record.subtype === "compact_boundary") {
    return asName(record.logicalParentUuid) ?? previousId;
  }
  return record.parentUuid === null ? undefined : (asName(record.parentUuid) ?? previousId);
}

/** A reply to which further lines may be added. */
interface OpenReply {
  readonly first: ReplyPart;
  /** Its index among the entries. */
  readonly index: number;
  readonly blocks: Block[];
  usage: RequestUsage | undefined;
}

/** The entries of a conversation. The lines of one reply become one message, at the place of the reply's first line. */
function mergeReplies(records: readonly SessionRecord[]): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  let open: OpenReply | undefined;
  for (const { id, part } of records) {
    if (part === undefined) continue;
    if (part.type === "reply") {
      if (open === undefined || !isSameReply(open.first, part)) {
        open = { first: part, index: entries.length, blocks: [], usage: undefined };
      }
      for (const block of part.blocks) open.blocks.push(block);
      // The last report counts: that of the first lines was made before the stream ended.
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
    // Results may come between the lines of a reply. Any other user message ends it, also if a proxy repeats the reply's id.
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

/** Adds a summary to the compaction right before it. Older files mark no compaction: there the summary adds one. */
function addSummary(entries: TranscriptEntry[], { content }: UserPart): void {
  const summary = typeof content === "string" ? content : content.map(textOf).join("");
  const last = entries.at(-1);
  if (last?.type === "compaction") entries[entries.length - 1] = { ...last, summary };
  else entries.push({ type: "compaction", summary });
}

function textOf(block: Block): string {
  return "text" in block && typeof block.text === "string" ? block.text : "";
}
