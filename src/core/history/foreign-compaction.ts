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

/** Whether `showForReader` would change a view: it shows a compaction that the reader cannot read, or hides one that it can. */
export function needsOtherCompactions(view: readonly Message[], reader: CompactionReader): boolean {
  if (reader === "any") return false;
  return view.some(
    (message) => foreignBlock(message, reader) !== undefined || readableFold(message, reader) !== undefined,
  );
}

/** The model family that is to read a log's view, and the log's task, from which fold ids are made. */
export interface ReadLog {
  readonly reader: CompactionReader;
  readonly taskId: string;
}

/**
 * Makes a view readable where its reader changed. A compaction of another provider is hidden, and the messages that it stands for are shown again; where
 * the log does not have them, the compaction's text is shown, or a line that says that it is sealed. Compactions of the reader's own provider come
 * back. Returns the same array where nothing changes.
 */
export function showForReader(messages: readonly Message[], read: ReadLog): readonly Message[] {
  let shown = messages;
  // Each round changes how one compaction is shown.
  for (let rounds = messages.length; rounds > 0; rounds--) {
    const next = changeOneCompaction(shown, read);
    if (next === shown) return shown;
    shown = next;
  }
  return shown;
}

function changeOneCompaction(messages: readonly Message[], { reader, taskId }: ReadLog): readonly Message[] {
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
  return messages.map((each) => (each === message ? showAsText(each, reader, foldId) : each));
}

/** The ending of a fold's id by which the fold is recognised as one that hides a compaction from other readers, and not one that a person made. */
function endingOf(block: Block): string {
  return `-by-${compactionProvider(block)}`;
}

/** The first compaction in a message that the view shows and the reader cannot read. */
function foreignBlock(message: Message, reader: CompactionReader): Block | undefined {
  if (typeof message.content === "string") return undefined;
  return contentBlocks(renderMessage(message).content).find((block) => isForeignCompaction(block, reader));
}

/** The id of the fold that hides a compaction of the reader's own provider in this message, if there is one. */
function readableFold({ compaction, condenseId, folds = [] }: Message, reader: CompactionReader): string | undefined {
  const ids = [
    ...(compaction === "restored" && condenseId !== undefined ? [condenseId] : []),
    ...folds.map(({ foldId }) => foldId),
  ];
  return ids.find((foldId) => foldId.endsWith(`-by-${reader}`));
}

/** Shows the compactions of a message that the reader cannot read by their own text, or by a line where they are sealed. */
function showAsText(message: Message, reader: CompactionReader, foldId: string): Message {
  const shown = contentBlocks(message.content).flatMap((block, blockIndex): readonly BlockFold[] => {
    if (!isForeignCompaction(block, reader)) return [];
    const text =
      compactionText(block) ?? "What was said before was compacted, in a form that only its provider can read.";
    return [{ foldId, kind: "clear", blockIndex, standIn: { type: "text", text }, hiddenTokens: 0 }];
  });
  return { ...message, folds: [...(message.folds ?? []), ...shown] };
}
