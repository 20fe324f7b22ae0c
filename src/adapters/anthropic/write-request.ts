import { bodyWith } from "../../core/json/body-value.ts";
import { entryAt } from "../../core/json/entry-at.ts";
import type { WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";
import { bytesOf, type Layout, layoutOf, sliceOf, sourceOf, type WireSource } from "./read-layout.ts";
import { hasThinkingBudget } from "./thinking.ts";
import { type Piece, writeParts } from "./write-parts.ts";

/** The body with these parts as its conversation. */
export function writeRequest(request: WireRequest, parts: readonly WirePart[]): string {
  const layout = layoutOf(request);
  if (layout === undefined || isUntouched(parts, layout)) return request.raw.body;
  const needed = neededItems(layout, parts);
  const body = bodyWith(request.raw, (item) => needed === "all" || needed.has(item));
  const source = sourceOf(body);
  const [first, last] = [source.slices.at(0), source.slices.at(-1)];
  if (first === undefined || last === undefined) return body;
  const always = layout.preamble.map((item): Piece => ({ type: "aside", item, text: bytesOf(source, item) }));
  const pieces = [...always, ...writeParts(source, layout, parts)];
  return body.slice(0, first.start) + joinPieces(source, pieces) + body.slice(last.end);
}

function neededItems(layout: Layout, parts: readonly WirePart[]): ReadonlySet<number> | "all" {
  // Thinking may be lent by what is hidden.
  if (hasThinkingBudget(layout.fields)) return "all";
  const shown = parts.flatMap((part) => (part.type === "stand-in" ? [] : [entryAt(layout.groups, part.index)]));
  const items = [...layout.preamble, ...shown.flatMap(({ main, attached }) => [main, ...attached])];
  return new Set(items.map(({ index }) => index));
}

function isUntouched(parts: readonly WirePart[], { groups }: Layout): boolean {
  const isAsItCame = (part: WirePart, index: number) => part.type === "original" && part.index === index;
  return parts.length === groups.length && parts.every(isAsItCame);
}

/** Items that were neighbours keep what stood between them. */
function joinPieces(source: WireSource, pieces: readonly Piece[]): string {
  let text = "";
  for (const [position, piece] of pieces.entries()) {
    if (position > 0) text += separatorBetween(source, pieces[position - 1], piece);
    text += piece.text;
  }
  return text;
}

function separatorBetween(source: WireSource, before: Piece | undefined, { item }: Piece): string {
  const earlier = before?.item;
  if (earlier === undefined || item === undefined || earlier.index + 1 !== item.index) return ",";
  return source.body.slice(sliceOf(source, earlier).end, sliceOf(source, item).start);
}
