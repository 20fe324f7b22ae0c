import { renderMessage } from "../../core/message/effective-view.ts";
import type { BlockFold } from "../../core/message/message.ts";
import type { CacheBreakpoints, RawRequest, WirePart } from "../../core/ports/wire-adapter.ts";
import { applyEdits, type BodySlices, type Edit, entryAt, sliceBody } from "./body-slices.ts";
import type { Grouping, GroupOf, Piece, SentMessage, WireConversation, Writing } from "./conversation.ts";
import type { WireDescription } from "./wire-description.ts";

interface BodyParts {
  readonly parts: readonly WirePart[];
  readonly breakpoints: CacheBreakpoints | undefined;
}

/** Writes the body with these parts as its conversation. Originals, and everything outside the list, keep their bytes, except for cache marks. */
export function writeBody<Reading extends Grouping, Place>(
  description: WireDescription<Reading, Place>,
  conversation: WireConversation<Reading>,
  { parts, breakpoints }: BodyParts,
): string {
  const { raw, headCount, path } = conversation;
  const isMarked = breakpoints !== undefined && description.markForCache !== undefined;
  if (!isMarked && isUntouched(parts, conversation.groups.length)) return raw.body;
  const needed = neededItems(description, conversation, parts);
  const text = needed === "all" ? raw.body : bodyWith(raw, (item) => needed.has(item));
  const body = description.withList?.(text, conversation) ?? text;
  const slices = sliceBody(body, path);
  const writing: Writing<Reading> = { conversation, slices };
  const messages = parts.map((part, position) =>
    writePart(description, writing, { part, position, before: parts[position - 1] }),
  );
  const pieces = [
    ...Array.from({ length: headCount }, (_, item) => original(slices, item)),
    ...(description.arrange?.(messages, writing) ?? messages.flatMap((message) => message.pieces)),
  ];
  const lastFolded = lastFoldedPlace(messages, pieces);
  const marked = breakpoints && description.markForCache?.({ ...writing, pieces, lastFolded }, breakpoints);
  const list = joinPieces(slices, marked?.pieces ?? pieces, description.separator);
  return withListText(slices, list, marked?.edits ?? []);
}

/** The body with `list` in place of the items of its list, and with edits outside of the list. */
function withListText({ body, items }: BodySlices, list: string, edits: readonly Edit[]): string {
  const [start = 0, end = 0] = [items.at(0)?.start, items.at(-1)?.end];
  return applyEdits(body, { start: 0, end: body.length }, [...edits, { start, end, text: list }]);
}

/** The index of the last piece of the last part that is not an original; undefined if there is none. */
function lastFoldedPlace(messages: readonly SentMessage[], pieces: readonly Piece[]): number | undefined {
  const last = messages.findLast(({ part }) => part.type !== "original")?.pieces.at(-1);
  const place = last === undefined ? -1 : pieces.lastIndexOf(last);
  return place === -1 ? undefined : place;
}

function isUntouched(parts: readonly WirePart[], groupCount: number): boolean {
  return parts.length === groupCount && parts.every((part, index) => part.type === "original" && part.index === index);
}

/** The body's text. Items that are not needed may be left out of it. */
function bodyWith(raw: RawRequest, isNeeded: (item: number) => boolean): string {
  return raw.sparseBody === undefined ? raw.body : raw.sparseBody(isNeeded);
}

/** The items whose bytes the written body needs: most of a long conversation is hidden. */
function neededItems<Reading extends Grouping, Place>(
  description: WireDescription<Reading, Place>,
  conversation: WireConversation<Reading>,
  parts: readonly WirePart[],
): ReadonlySet<number> | "all" {
  const copied = description.copiedItems?.(parts, conversation) ?? [];
  if (copied === "all") return "all";
  const needed = new Set(copied);
  for (const part of parts) {
    if (part.type === "stand-in") continue;
    for (const item of entryAt(conversation.groups, part.index).items) needed.add(item);
  }
  const firstItems = Math.max(conversation.headCount, description.separator === "first-gap" ? 2 : 0);
  for (let item = 0; item < firstItems; item++) needed.add(item);
  // The whole text is made faster than a sparse one that leaves nothing out.
  return needed.size >= conversation.items.length ? "all" : needed;
}

interface PlacedPart {
  readonly part: WirePart;
  readonly position: number;
  readonly before: WirePart | undefined;
}

function writePart<Reading extends Grouping, Place>(
  description: WireDescription<Reading, Place>,
  writing: Writing<Reading>,
  { part, position, before }: PlacedPart,
): SentMessage<GroupOf<Reading>> {
  if (part.type === "stand-in") {
    const texts = description.writeStandIn(part.message, { ...writing, isFirst: position === 0 });
    const pieces = texts.map((text) => ({ text }));
    // A long summary may have folds of its own, such as a clip.
    return { part, message: renderMessage(part.message), group: undefined, isInPlace: false, pieces };
  }
  const group: GroupOf<Reading> = entryAt(writing.conversation.groups, part.index);
  const pieces =
    part.type === "folded"
      ? foldedPieces(description, writing, { group, folds: part.folds })
      : group.items.map((item) => original(writing.slices, item));
  return { part, message: group.message, group, isInPlace: isInPlace(part.index, before), pieces };
}

function isInPlace(index: number, before: WirePart | undefined): boolean {
  if (before === undefined) return index === 0;
  return before.type !== "stand-in" && before.index + 1 === index;
}

function original(slices: BodySlices, item: number): Piece {
  return { item, text: slices.itemText(item) };
}

interface FoldedGroup<Group> {
  readonly group: Group;
  readonly folds: readonly BlockFold[];
}

function foldedPieces<Reading extends Grouping, Place>(
  description: WireDescription<Reading, Place>,
  writing: Writing<Reading>,
  { group, folds }: FoldedGroup<GroupOf<Reading>>,
): readonly Piece[] {
  const { slices, conversation } = writing;
  const standIns = new Map(folds.map(({ blockIndex, standIn }) => [blockIndex, standIn]));
  const edits = new Map<number, Edit[]>();
  for (const [index, placed] of description.placeBlocks(group, conversation).entries()) {
    const standIn = standIns.get(index);
    const item = slices.items[placed.item];
    if (standIn === undefined || item === undefined) continue;
    const blockEdits = description.editBlock(placed, standIn, { conversation, slices, item, role: group.message.role });
    const itemEdits = edits.get(placed.item);
    if (itemEdits === undefined) edits.set(placed.item, [...blockEdits]);
    else itemEdits.push(...blockEdits);
  }
  return group.items.map((item) => {
    const [slice, itemEdits] = [slices.items[item], edits.get(item)];
    return slice === undefined || itemEdits === undefined
      ? original(slices, item)
      : { item, text: applyEdits(slices.body, slice, itemEdits) };
  });
}

/** Joins the pieces to the text of a list. Items that were neighbours keep the text that stood between them. */
function joinPieces(
  { body, items }: BodySlices,
  pieces: readonly Piece[],
  separator: WireDescription<Grouping, unknown>["separator"],
): string {
  const gapBehind = (index: number) => body.slice(items[index]?.end, items[index + 1]?.start);
  const usual = separator === "first-gap" && items.length > 1 ? gapBehind(0) : ",";
  let text = "";
  let before: number | undefined;
  for (const [position, { text: itemText, item }] of pieces.entries()) {
    const isNext = before !== undefined && before + 1 === item;
    if (position > 0) text += isNext && before !== undefined ? gapBehind(before) : usual;
    text += itemText;
    before = item;
  }
  return text;
}
