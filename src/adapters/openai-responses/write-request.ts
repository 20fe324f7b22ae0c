import { demand } from "../../core/demand.ts";
import { entryAt } from "../../core/json/entry-at.ts";
import type { BlockFold } from "../../core/message/message.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { type FoldedBlock, foldItem } from "./fold-item.ts";
import type { ItemGroup } from "./group-items.ts";
import { itemText, type Layout, type PlacedLayout, placeItems } from "./layout.ts";
import { writeStandIn } from "./write-stand-in.ts";

/** An item to send. */
interface Piece {
  readonly text: string;
  /** Its index in the input; absent where it is ours. */
  readonly item?: number;
}

/** The body with these parts as its conversation; all else is the same bytes. */
export function writeRequest(layout: Layout | undefined, parts: readonly WirePart[]): string {
  demand(layout !== undefined, "request", layout, "one that this adapter has read");
  if (isUntouched(parts, layout)) return layout.raw.body;
  const placed = placeItems(layout);
  const { body, input } = placed;
  return body.slice(0, input.start) + joinPieces(writeParts(placed, parts), placed) + body.slice(input.end);
}

function isUntouched(parts: readonly WirePart[], { groups }: Layout): boolean {
  return (
    parts.length === groups.length && parts.every((part, index) => part.type === "original" && part.index === index)
  );
}

/** Between stand-ins the items come in their own order: an output may stand further on than its message does. */
function writeParts(layout: PlacedLayout, parts: readonly WirePart[]): readonly Piece[] {
  const pieces: Piece[] = [];
  const asItIs = (item: number): Piece => ({ text: itemText(layout, item), item });
  const standing = placeStanding(layout, parts);
  let run: Piece[] = Array.from({ length: layout.headCount }, (_, item) => asItIs(item));
  const endRun = (): void => {
    for (const piece of run.toSorted((one, other) => (one.item ?? 0) - (other.item ?? 0))) pieces.push(piece);
    run = [];
  };
  for (const [position, part] of parts.entries()) {
    for (const item of standing.get(position) ?? []) run.push(asItIs(item));
    if (part.type === "stand-in") {
      endRun();
      for (const text of writeStandIn(part.message, layout)) pieces.push({ text });
      continue;
    }
    const folds = part.type === "folded" ? part.folds : [];
    for (const piece of writeGroup(entryAt(layout.groups, part.index), folds, layout)) run.push(piece);
  }
  for (const item of standing.get(parts.length) ?? []) run.push(asItIs(item));
  endRun();
  return pieces;
}

function writeGroup(
  { role, blocks, items }: ItemGroup,
  folds: readonly BlockFold[],
  layout: PlacedLayout,
): readonly Piece[] {
  const folded = new Map<number, FoldedBlock[]>();
  const standIns = new Map(folds.map(({ blockIndex, standIn }) => [blockIndex, standIn]));
  for (const [index, standIn] of standIns) {
    const block = blocks[index];
    if (block === undefined) continue;
    const others = folded.get(block.item) ?? [];
    others.push({ ...block, standIn });
    folded.set(block.item, others);
  }
  return items.map((item) => {
    const text = itemText(layout, item);
    const hidden = folded.get(item);
    return { text: hidden === undefined ? text : foldItem(text, hidden, role), item };
  });
}

/**
 * Before which part each standing item goes: where its message is hidden, right after the last message before it that is shown,
 * so that it never comes between a call and its output.
 */
function placeStanding({ groups }: Layout, parts: readonly WirePart[]): ReadonlyMap<number, readonly number[]> {
  const places = new Map<number, number[]>();
  const shownAt = new Map(
    parts.flatMap((part, position) => (part.type === "stand-in" ? [] : [[part.index, position]])),
  );
  let position = 0;
  for (const [owner, { standing }] of groups.entries()) {
    position = Math.max(position, (shownAt.get(owner) ?? -1) + 1);
    if (standing.length === 0) continue;
    const others = places.get(position) ?? [];
    others.push(...standing);
    places.set(position, others);
  }
  return places;
}

/** What stands around and between the items stays as it was. */
function joinPieces(pieces: readonly Piece[], { body, input, slices, isList }: PlacedLayout): string {
  const [first, last] = [slices.at(0), slices.at(-1)];
  if (!isList || first === undefined || last === undefined) return `[${pieces.map(({ text }) => text).join(",")}]`;
  const between = (index: number): string => body.slice(slices[index]?.end, slices[index + 1]?.start);
  const usual = slices.length > 1 ? between(0) : ",";
  let list = "";
  for (const [position, { text, item }] of pieces.entries()) {
    const before = pieces[position - 1]?.item;
    const isNext = item !== undefined && before !== undefined && item === before + 1;
    list += position === 0 ? text : (isNext ? between(before) : usual) + text;
  }
  return body.slice(input.start, first.start) + list + body.slice(last.end, input.end);
}
