import type { BlockFoldRequest } from "../../message/block-folds.ts";
import { type Block, type CountTokens, isKnownBlock, type ToolResultBlock } from "../../message/message.ts";
import { contentBlocks, isToolResult } from "../../message/tool-pairs.ts";
import { serialize } from "../../tokens/serialize.ts";
import { clipItem } from "../clip/clip-item.ts";
import { takeApart } from "../clip/clip-slots.ts";
import { standInText, textInPlaceOf } from "../stand-in.ts";
import { sum } from "../sum.ts";
import { countImages, describeMedium, isMedium } from "./media.ts";
import { jsonBytes, type SizedEntry, type ViewSize } from "./view-size.ts";

/** Media that are hidden together or not at all, and how many bytes and images the view then has less. */
export interface MediaGroup extends ViewSize {
  /** `clear` hides whole blocks; `clip` hides the media in a tool result and leaves the rest, which can still be cleared or clipped. */
  readonly kind: MediaKind;
  readonly requests: readonly BlockFoldRequest[];
}

export type MediaKind = "clear" | "clip";

export interface FindMediaOptions {
  readonly foldIds: Readonly<Record<MediaKind, string>>;
  readonly countTokens: CountTokens;
}

/** All media that the view shows in a message. */
export function findMedia(entry: SizedEntry, { foldIds, countTokens }: FindMediaOptions): readonly MediaGroup[] {
  const group = (kind: MediaKind, replacements: readonly Replacement[]): MediaGroup => ({
    kind,
    requests: replacements.map((replacement) => requestFor(replacement, entry.logIndex, countTokens)),
    bytes: sum(replacements.map(({ shown, standIn }) => jsonBytes(shown) - jsonBytes(standIn))),
    images: sum(replacements.map(({ shown, standIn }) => countImages(shown) - countImages(standIn))),
  });
  const cleared = (block: ShownBlock) => ({ ...block, standIn: noteOf(block.shown, foldIds.clear) });
  const blocks = shownBlocks(entry);
  const unknown = blocks.filter(({ shown }) => !isKnownBlock(shown));
  return [
    ...blocks.flatMap((block): readonly MediaGroup[] => {
      const { shown, original } = block;
      if (!isKnownBlock(shown)) return [];
      if (isMedium(shown)) return [group("clear", [cleared(block)])];
      if (!isToolResult(shown) || !isToolResult(original) || !holdsMedia(shown)) return [];
      const standIn = withoutMedia(original, shown, { foldId: foldIds.clip, countTokens });
      return [group("clip", [{ ...block, standIn }])];
    }),
    // Unknown blocks of a message may belong together, as a call and its result do: all of them are hidden, or none.
    ...(unknown.some(({ shown }) => isMedium(shown)) ? [group("clear", unknown.map(cleared))] : []),
  ];
}

interface ShownBlock {
  readonly blockIndex: number;
  readonly original: Block;
  readonly shown: Block;
}

interface Replacement extends ShownBlock {
  readonly standIn: Block;
}

function shownBlocks({ message, shown }: SizedEntry): readonly ShownBlock[] {
  const originals = contentBlocks(message.content);
  return contentBlocks(shown.content).map((block, blockIndex) => {
    return { blockIndex, original: originals[blockIndex] ?? block, shown: block };
  });
}

function requestFor(
  { blockIndex, original, standIn }: Replacement,
  messageIndex: number,
  countTokens: CountTokens,
): BlockFoldRequest {
  return { messageIndex, blockIndex, standIn, hiddenTokens: countTokens([original]) - countTokens([standIn]) };
}

function noteOf(block: Block, foldId: string): Block {
  return textInPlaceOf(block, standInText({ foldId, what: describeMedium(block) }));
}

function holdsMedia({ content = "" }: ToolResultBlock): boolean {
  return contentBlocks(content).some(isMedium);
}

interface WithoutMediaOptions {
  readonly foldId: string;
  readonly countTokens: CountTokens;
}

/** The result with notes in place of its media. What an earlier clip hid of it stays hidden, now by this fold. */
function withoutMedia(
  original: ToolResultBlock,
  shown: ToolResultBlock,
  { foldId, countTokens }: WithoutMediaOptions,
): Block {
  const { items, assemble, measure } = takeApart(original, countTokens);
  const shownItems = contentBlocks(shown.content ?? "");
  return assemble(
    items.map((item, index) => {
      if (isMedium(item)) return noteOf(item, foldId);
      const shownItem = shownItems[index] ?? item;
      if (shownItem === item || serialize(shownItem) === serialize(item)) return item;
      return clipItem(item, { budgetTokens: measure(shownItem), totalTokens: measure(item), measure, foldId });
    }),
  );
}
