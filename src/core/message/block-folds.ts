import type { Block, BlockFold, BlockFoldKind, Message } from "./message.ts";

/** One block to be shown as a stand-in. */
export interface BlockFoldRequest {
  readonly messageIndex: number;
  /** Index into the message's content; 0 where the content is a string. */
  readonly blockIndex: number;
  readonly standIn: Block;
  readonly hiddenTokens: number;
  /** The name of the file that holds the whole original, where the stand-in names its path. */
  readonly file?: string | undefined;
  readonly usedPercent?: number | undefined;
}

/** What all blocks hidden by one act of folding have in common. */
export interface FoldName {
  readonly foldId: string;
  readonly kind: BlockFoldKind;
}

/** The folds of a message that hide something; a notice does not, as it only adds a line to its block. */
export function hidingFolds({ folds = [] }: Message): readonly BlockFold[] {
  return folds.some(({ kind }) => kind === "notice") ? folds.filter(({ kind }) => kind !== "notice") : folds;
}

/** Adds one fold, over any number of blocks. Messages that it does not touch stay the same objects. */
export function foldBlocks(
  messages: readonly Message[],
  { foldId, kind }: FoldName,
  requests: readonly BlockFoldRequest[],
): readonly Message[] {
  const byMessage = new Map<number, BlockFold[]>();
  for (const { messageIndex, blockIndex, standIn, hiddenTokens, file, usedPercent } of requests) {
    const named = { ...(file === undefined ? {} : { file }), ...(usedPercent === undefined ? {} : { usedPercent }) };
    const fold: BlockFold = { foldId, kind, blockIndex, standIn, hiddenTokens, ...named };
    const folds = byMessage.get(messageIndex);
    if (folds === undefined) byMessage.set(messageIndex, [fold]);
    else folds.push(fold);
  }
  // Not `slice`: V8 takes several times as long to slice a frozen array.
  const folded = [...messages];
  for (const [index, added] of byMessage) {
    const message = messages[index];
    if (message !== undefined) folded[index] = { ...message, folds: [...(message.folds ?? []), ...added] };
  }
  return folded;
}
