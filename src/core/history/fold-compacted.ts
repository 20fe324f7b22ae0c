import { showsCompaction } from "../message/compaction.ts";
import { isCompactionBlock } from "../message/compaction-block.ts";
import { collectStandIns, isHidden, isStandIn } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { BlockFold, Message } from "../message/message.ts";
import { contentBlocks } from "../message/tool-pairs.ts";

/** Where the part of a view begins that a provider still reads; undefined where that is all of it, or the rest is hidden already. */
function windowStart(view: readonly Message[]): number | undefined {
  let start = view.findLastIndex(showsCompaction);
  if (start < 0) return undefined;
  while (start > 0 && view[start - 1]?.isRetained === true) start -= 1;
  if (isSealed(view[start]) && view.slice(0, start).every(isUsersWord)) return undefined;
  return start === 0 || view[start - 1]?.compaction === "provider" ? undefined : start;
}

/** OpenAI's compactions have no text. */
function isSealed(message: Message | undefined): boolean {
  return contentBlocks(message?.content ?? "").some((block) => isCompactionBlock(block) && !("content" in block));
}

/** OpenAI keeps what the user said before a compaction, and cannot tell its own window from a conversation without replies. */
function isUsersWord(message: Message): boolean {
  return message.role === "user" && !isStandIn(message) && !showsCompaction(message);
}

/** Whether a view shows what its provider compacted. */
export function showsCompacted(view: readonly Message[]): boolean {
  return windowStart(view) !== undefined;
}

/**
 * Hides what a provider compacted by itself: all before its newest compaction and the messages that it kept. The provider does not read
 * it, so it is neither counted nor folded again. The same array where there is nothing to hide.
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
 * Hides the compaction at `start` of a log in which what it stood for is shown again, with the messages that the provider had kept beside it:
 * otherwise the provider would go on to read nothing before it.
 */
export function hideCompaction(
  messages: readonly Message[],
  { start, foldId }: { readonly start: number; readonly foldId: string },
): readonly Message[] {
  let place = start;
  while (messages[place]?.isRetained === true) place += 1;
  const message = messages[place];
  if (message === undefined || !showsCompaction(message)) return messages;
  const blocks = contentBlocks(message.content);
  const isWhole = blocks.every(isCompactionBlock);
  const end = isWhole ? place + 1 : place;
  const shown = messages.map((each, index) => {
    if (index >= start && index < end) return { ...each, condenseParent: foldId };
    return index === place ? { ...each, folds: [...(each.folds ?? []), ...foldsOf(each, foldId)] } : each;
  });
  if (end === start) return shown;
  return shown.toSpliced(start, 0, accountOf(foldId, { text: RESTORED, compaction: "restored", ts: message.ts }));
}

function foldsOf({ content }: Message, foldId: string): readonly BlockFold[] {
  const standIn = { type: "text", text: RESTORED } as const;
  return contentBlocks(content).flatMap((block, blockIndex) =>
    isCompactionBlock(block) ? [{ foldId, kind: "clear", blockIndex, standIn, hiddenTokens: 0 }] : [],
  );
}
