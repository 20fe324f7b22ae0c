import {
  type CompactionReader,
  compactionProvider,
  compactionText,
  isForeignCompaction,
} from "../message/compaction-reader.ts";
import { collectStandIns, isHidden, renderMessage } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { Block, BlockFold, Message } from "../message/message.ts";
import { contentBlocks } from "../message/tool-pairs.ts";
import { restoreMessages, swapCompaction } from "./restore.ts";

/** Whether a view shows a compaction that the reader cannot read, or hides one from it that it can. */
export function needsOtherCompactions(view: readonly Message[], reader: CompactionReader): boolean {
  if (reader === "any") return false;
  return view.some(
    (message) => foreignBlock(message, reader) !== undefined || readableFold(message, reader) !== undefined,
  );
}

/** Who is to read a log's view, and whose log it is. */
export interface ReadLog {
  readonly reader: CompactionReader;
  readonly taskId: string;
}

/**
 * Shows what a compaction stands for where another provider than its own is to read the view, and the compaction again once its own does.
 * What the log does not have is told in the compaction's own words, or in a line where it is sealed. The same array where nothing changes.
 */
export function showForReader(messages: readonly Message[], read: ReadLog): readonly Message[] {
  let shown = messages;
  // Each round changes how one compaction is shown.
  for (let rounds = messages.length; rounds > 0; rounds--) {
    const next = showOne(shown, read);
    if (next === shown) return shown;
    shown = next;
  }
  return shown;
}

function showOne(messages: readonly Message[], { reader, taskId }: ReadLog): readonly Message[] {
  const standIns = collectStandIns(messages);
  const visible = messages.filter((message) => !isHidden(message, standIns));
  const hiddenBy = visible.map((message) => readableFold(message, reader)).find((foldId) => foldId !== undefined);
  if (hiddenBy !== undefined) return restoreMessages(messages, hiddenBy);
  const at = visible.findLastIndex((message) => foreignBlock(message, reader) !== undefined);
  const message = visible[at];
  const block = message && foreignBlock(message, reader);
  if (message === undefined || block === undefined) return messages;
  const before = visible.slice(0, at).findLast(({ isRetained }) => isRetained !== true);
  if (before?.compaction === "provider" && before.condenseId !== undefined) {
    return swapCompaction(messages, before.condenseId, endingOf(block));
  }
  const foldId = `${newFoldId("clear", taskId, messages)}${endingOf(block)}`;
  return messages.map((each) => (each === message ? tellCompactions(each, reader, foldId) : each));
}

/** Ends the ids of folds that hide a compaction from others: a reader that understands it undoes them, and not what people folded. */
function endingOf(block: Block): string {
  return `-by-${compactionProvider(block)}`;
}

/** A compaction that the reader is shown, and cannot read. */
function foreignBlock(message: Message, reader: CompactionReader): Block | undefined {
  if (typeof message.content === "string") return undefined;
  return contentBlocks(renderMessage(message).content).find((block) => isForeignCompaction(block, reader));
}

/** The fold that hides a compaction of the reader's own provider. */
function readableFold({ compaction, condenseId, folds = [] }: Message, reader: CompactionReader): string | undefined {
  const ids = [
    ...(compaction === "restored" && condenseId !== undefined ? [condenseId] : []),
    ...folds.map(({ foldId }) => foldId),
  ];
  return ids.find((foldId) => foldId.endsWith(`-by-${reader}`));
}

function tellCompactions(message: Message, reader: CompactionReader, foldId: string): Message {
  const told = contentBlocks(message.content).flatMap((block, blockIndex): readonly BlockFold[] => {
    if (!isForeignCompaction(block, reader)) return [];
    const text =
      compactionText(block) ?? "What was said before was compacted, in a form that only its provider can read.";
    return [{ foldId, kind: "clear", blockIndex, standIn: { type: "text", text }, hiddenTokens: 0 }];
  });
  return { ...message, folds: [...(message.folds ?? []), ...told] };
}
