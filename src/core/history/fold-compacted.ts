import { showsCompaction } from "../message/compaction.ts";
import { isCompactionBlock } from "../message/compaction-block.ts";
import { collectStandIns, isHidden, isStandIn } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { BlockFold, Message } from "../message/message.ts";
import { contentBlocks } from "../message/tool-pairs.ts";

/** The index at which the part of a view begins that its provider still reads; undefined where that is all of it, or what comes before is hidden already. */
function windowStart(view: readonly Message[]): number | undefined {
  let start = view.findLastIndex(showsCompaction);
  if (start < 0) return undefined;
  while (start > 0 && view[start - 1]?.isRetained === true) start -= 1;
  if (isSealed(view[start]) && view.slice(0, start).every(isUserMessage)) return undefined;
  return start === 0 || view[start - 1]?.compaction === "provider" ? undefined : start;
}

/** Whether a message holds a compaction of OpenAI's, which has no text. */
function isSealed(message: Message | undefined): boolean {
  return contentBlocks(message?.content ?? "").some((block) => isCompactionBlock(block) && !("content" in block));
}

/** OpenAI keeps what the user said before a compaction, and cannot tell its own window from a conversation without replies. */
function isUserMessage(message: Message): boolean {
  return message.role === "user" && !isStandIn(message) && !showsCompaction(message);
}

/** Whether a view shows messages that its provider compacted, and no longer reads. */
export function showsCompacted(view: readonly Message[]): boolean {
  return windowStart(view) !== undefined;
}

/**
 * Hides what a provider compacted by itself: everything before its newest compaction, except the messages that it kept. The provider no longer reads
 * that part, so it is neither counted nor folded again. Returns the same array where there is nothing to hide.
 */
export function foldCompacted(messages: readonly Message[], taskId: string): readonly Message[] {
  const standIns = collectStandIns(messages);
  const visible = messages.flatMap((message, index) => (isHidden(message, standIns) ? [] : [index]));
  const start = windowStart(visible.flatMap((index) => messages[index] ?? []));
  if (start === undefined) return messages;
  const hidden = new Set(visible.slice(0, start));
  const condenseId = newFoldId("condense", taskId, messages);
  const tagged = messages.map((message, index) =>
    hidden.has(index) ? { ...message, condenseParent: condenseId } : message,
  );
  const text = `[The provider compacted ${hidden.size} messages: fold ${condenseId}.]`;
  const account = accountOf(condenseId, { text, compaction: "provider", ts: messages[visible[start] ?? 0]?.ts });
  return tagged.toSpliced(visible[start] ?? 0, 0, { ...account, important: true });
}

interface AccountFields {
  readonly text: string;
  readonly compaction: NonNullable<Message["compaction"]>;
  readonly ts: number | undefined;
}

function accountOf(condenseId: string, { text, compaction, ts }: AccountFields): Message {
  return {
    id: condenseId,
    role: "user",
    content: text,
    ...(ts === undefined ? {} : { ts }),
    isSummary: true,
    condenseId,
    compaction,
  };
}

const RESTORED = "[The provider's compaction stood here. What it stood for is shown again.]";

/**
 * Hides the compaction at `start`, with the messages that the provider had kept beside it, in a log that shows again what it stood for: otherwise the
 * provider would still read nothing before it. Returns the same array where no compaction is there.
 */
export function hideCompaction(
  messages: readonly Message[],
  { start, foldId }: { readonly start: number; readonly foldId: string },
): readonly Message[] {
  let place = start;
  while (messages[place]?.isRetained === true) place += 1;
  const compacted = messages[place];
  if (compacted === undefined || !showsCompaction(compacted)) return messages;
  const blocks = contentBlocks(compacted.content);
  const isWhole = blocks.every(isCompactionBlock);
  const end = isWhole ? place + 1 : place;
  const shown = messages.map((message, index) => {
    if (index >= start && index < end) return { ...message, condenseParent: foldId };
    return index === place ? { ...message, folds: [...(message.folds ?? []), ...foldsOf(message, foldId)] } : message;
  });
  if (end === start) return shown;
  return shown.toSpliced(start, 0, accountOf(foldId, { text: RESTORED, compaction: "restored", ts: compacted.ts }));
}

/** Block folds that show each compaction of a message as a line of text. */
function foldsOf({ content }: Message, foldId: string): readonly BlockFold[] {
  const standIn = { type: "text", text: RESTORED } as const;
  return contentBlocks(content).flatMap((block, blockIndex) =>
    isCompactionBlock(block) ? [{ foldId, kind: "clear", blockIndex, standIn, hiddenTokens: 0 }] : [],
  );
}
