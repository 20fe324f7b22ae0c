import { bodyWith } from "../../core/json/body-value.ts";
import { entryAt } from "../../core/json/entry-at.ts";
import type { JsonSlice } from "../../core/json/json-slices.ts";
import type { BlockFold } from "../../core/message/message.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { type BodySlices, bodySlices } from "./body-slices.ts";
import type { ChatLayout } from "./chat-layout.ts";
import { type Edit, editBlock } from "./edit-block.ts";
import { type ItemGroup, placedBlocks } from "./group-items.ts";
import type { PlacedBlock } from "./placed-block.ts";
import { writeStandIn } from "./write-stand-in.ts";

/** What takes the place of some items: from `start`, up to but not including `end`. A stand-in is in nobody's place. */
interface Piece {
  readonly text: string;
  readonly start?: number;
  readonly end?: number;
}

/** The body with these parts in place of the conversation. */
export function writeBody(layout: ChatLayout, groups: readonly ItemGroup[], parts: readonly WirePart[]): string {
  const { systemCount } = layout;
  if (isUntouched(parts, groups)) return layout.raw.body;
  const needed = neededItems(layout, groups, parts);
  const body = bodyWith(layout.raw, (item) => needed.has(item));
  const slices = bodySlices(body);
  const system = systemCount === 0 ? [] : [original(slices, { start: 0, end: systemCount })];
  const pieces = parts.flatMap((part, position): readonly Piece[] => {
    if (part.type === "stand-in") {
      return writeStandIn(part.message, { layout, isFirst: position === 0 }).map((text) => ({ text }));
    }
    const group = entryAt(groups, part.index);
    if (part.type === "original") return [original(slices, group)];
    const edits = foldEdits(slices, placedBlocks(layout, group), part.folds);
    return [{ start: group.start, end: group.end, text: edited(body, rangeOf(slices, group), edits) }];
  });
  const before = body.slice(0, slices.items[0]?.start);
  return before + joined(slices, [...system, ...pieces]) + body.slice(slices.items.at(-1)?.end);
}

function neededItems(
  { systemCount }: ChatLayout,
  groups: readonly ItemGroup[],
  parts: readonly WirePart[],
): ReadonlySet<number> {
  const shown = parts.flatMap((part) => (part.type === "stand-in" ? [] : [entryAt(groups, part.index)]));
  const ranges = [{ start: 0, end: systemCount }, ...shown];
  return new Set(ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, item) => start + item)));
}

function isUntouched(parts: readonly WirePart[], groups: readonly ItemGroup[]): boolean {
  const isAsItCame = (part: WirePart, index: number) => part.type === "original" && part.index === index;
  return parts.length === groups.length && parts.every(isAsItCame);
}

type ItemRange = Pick<ItemGroup, "start" | "end">;

function original(slices: BodySlices, { start, end }: ItemRange): Piece {
  const { start: from, end: to } = rangeOf(slices, { start, end });
  return { start, end, text: slices.body.slice(from, to) };
}

function rangeOf({ items }: BodySlices, { start, end }: ItemRange): JsonSlice {
  return { start: items[start]?.start ?? 0, end: items[end - 1]?.end ?? 0 };
}

function foldEdits(slices: BodySlices, blocks: readonly PlacedBlock[], folds: readonly BlockFold[]): readonly Edit[] {
  const standIns = new Map(folds.map(({ blockIndex, standIn }) => [blockIndex, standIn]));
  return blocks.flatMap((placed, blockIndex): readonly Edit[] => {
    const standIn = standIns.get(blockIndex);
    const item = slices.items[placed.itemIndex];
    return standIn === undefined || item === undefined ? [] : editBlock(placed, standIn, { slices, item });
  });
}

function edited(body: string, range: JsonSlice, edits: readonly Edit[]): string {
  let text = "";
  let at = range.start;
  // The fields of an item stand in any order.
  for (const { start, end, text: changed } of edits.toSorted((one, other) => one.start - other.start)) {
    text += body.slice(at, start) + changed;
    at = end;
  }
  return text + body.slice(at, range.end);
}

/** Items that were neighbours keep what stood between them. */
function joined({ body, items }: BodySlices, pieces: readonly Piece[]): string {
  let text = "";
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1];
    if (before !== undefined) {
      const areNeighbours = before.end !== undefined && before.end === piece.start;
      text += areNeighbours ? body.slice(items[before.end - 1]?.end, items[before.end]?.start) : ",";
    }
    text += piece.text;
  }
  return text;
}
