import type { WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";
import { bytesOf, type Layout, layoutOf, sliceOf, sourceOf, type WireSource } from "./read-layout.ts";
import { type Piece, writeParts } from "./write-parts.ts";

/** The body with these parts as its conversation. */
export function writeRequest(request: WireRequest, parts: readonly WirePart[]): string {
  const { body } = request.raw;
  const layout = layoutOf(request);
  if (layout === undefined || isUntouched(parts, layout)) return body;
  const source = sourceOf(body);
  const [first, last] = [source.slices.at(0), source.slices.at(-1)];
  if (first === undefined || last === undefined) return body;
  const always = layout.preamble.map((item): Piece => ({ type: "aside", item, text: bytesOf(source, item) }));
  const pieces = [...always, ...writeParts(source, layout, parts)];
  return body.slice(0, first.start) + joinPieces(source, pieces) + body.slice(last.end);
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
