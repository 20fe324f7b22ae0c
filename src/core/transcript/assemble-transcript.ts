import { type Block, type Content, isKnownBlock, type Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import type { Transcript, TranscriptCompaction, TranscriptProblem, TranscriptUsage } from "./transcript.ts";
import { createTranscriptDraft, type TranscriptFields } from "./transcript-draft.ts";

/** An entry of a session file. */
export type TranscriptEntry = MessageEntry | CompactionEntry;

export interface MessageEntry {
  readonly type: "message";
  readonly message: Message;
  readonly usage?: RequestUsage | undefined;
}

/** The agent condensed its context before the next message. */
export interface CompactionEntry extends Omit<TranscriptCompaction, "messageIndex"> {
  readonly type: "compaction";
}

export type RequestUsage = Omit<TranscriptUsage, "messageIndex">;

export interface AssembledFields extends TranscriptFields {
  readonly format: string;
  readonly problems: readonly TranscriptProblem[];
}

/**
 * Assembles a transcript from entries: puts results first in their turn, makes ids unique, and leaves out content that providers never
 * accept (blank text, messages without content).
 */
export function assembleTranscript(
  entries: readonly TranscriptEntry[],
  { format, problems, ...fields }: AssembledFields,
): Transcript {
  const draft = createTranscriptDraft(format);
  for (const entry of putResultsFirst(entries.flatMap(visibleEntry))) {
    if (entry.type === "compaction") {
      const { type: _, ...compaction } = entry;
      draft.addCompaction({ messageIndex: draft.nextIndex, ...compaction });
      continue;
    }
    const messageIndex = draft.add(entry.message);
    const { usage } = entry;
    if (usage !== undefined && Object.values(usage).some((tokens) => tokens > 0)) {
      draft.addUsage({ messageIndex, ...usage });
    }
  }
  for (const { where, reason } of problems) draft.addProblem(where, reason);
  return draft.finish(fields);
}

function visibleEntry(entry: TranscriptEntry): readonly TranscriptEntry[] {
  if (entry.type === "compaction") return [entry];
  const content = visibleContent(entry.message.content);
  if (content.length === 0) return [];
  return content === entry.message.content ? [entry] : [{ ...entry, message: { ...entry.message, content } }];
}

function visibleContent(content: Content): Content {
  if (typeof content === "string") return isBlank(content) ? "" : content;
  const visible = content.filter((block) => !isBlankText(block)).map(withVisibleResult);
  const isSame = visible.length === content.length && visible.every((block, index) => block === content[index]);
  return isSame ? content : visible;
}

function withVisibleResult(block: Block): Block {
  if (!isToolResult(block) || block.content === undefined || typeof block.content === "string") return block;
  const content = visibleContent(block.content);
  return content === block.content ? block : { ...block, content };
}

function isBlankText(block: Block): boolean {
  return isKnownBlock(block) && block.type === "text" && isBlank(block.text);
}

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** Moves results to the start of their turn, as providers want them: agents write notices between parallel results. */
function putResultsFirst(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const ordered: TranscriptEntry[] = [];
  let calls = new Set<string>();
  let turn: TranscriptEntry[] = [];
  const endTurn = () => {
    const [answers, others]: [TranscriptEntry[], TranscriptEntry[]] = [[], []];
    for (const entry of turn) (answersOneOf(calls, entry) ? answers : others).push(entry);
    for (const entry of [...answers, ...others]) ordered.push(entry);
    if (turn.some((entry) => entry.type === "message")) calls = new Set();
    turn = [];
  };
  for (const entry of entries) {
    if (entry.type === "message" && entry.message.role === "assistant") {
      endTurn();
      for (const block of contentBlocks(entry.message.content)) if (isToolUse(block)) calls.add(block.id);
      ordered.push(entry);
    } else {
      turn.push(entry);
    }
  }
  endTurn();
  return ordered;
}

function answersOneOf(calls: ReadonlySet<string>, entry: TranscriptEntry): boolean {
  if (entry.type === "compaction") return false;
  return contentBlocks(entry.message.content).some((block) => isToolResult(block) && calls.has(block.tool_use_id));
}
