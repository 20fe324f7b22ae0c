import type { WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";
import { type Layout, layoutOf } from "./read-layout.ts";
import { type Piece, writeParts } from "./write-parts.ts";

/** The body with these parts as its conversation. */
export function writeRequest(request: WireRequest, parts: readonly WirePart[]): string {
  const { body } = request.raw;
  const layout = layoutOf(request);
  if (layout === undefined || isUntouched(parts, layout)) return body;
  const { preamble, groups } = layout;
  const items = [...preamble, ...groups.flatMap(({ main, attached }) => [main, ...attached])];
  const [first, last] = [items.at(0), items.at(-1)];
  if (first === undefined || last === undefined) return body;
  const always = preamble.map(
    (item): Piece => ({ type: "aside", item, text: body.slice(item.slice.start, item.slice.end) }),
  );
  const pieces = [...always, ...writeParts(body, layout, parts)];
  return body.slice(0, first.slice.start) + joinPieces(body, pieces) + body.slice(last.slice.end);
}

function isUntouched(parts: readonly WirePart[], { groups }: Layout): boolean {
  const isAsItCame = (part: WirePart, index: number) => part.type === "original" && part.index === index;
  return parts.length === groups.length && parts.every(isAsItCame);
}

/** Items that were neighbours keep what stood between them. */
function joinPieces(body: string, pieces: readonly Piece[]): string {
  return pieces
    .map(({ text, item }, position) => {
      const before = pieces[position - 1]?.item;
      if (position === 0) return text;
      const wereNeighbours = before !== undefined && item !== undefined && before.index + 1 === item.index;
      return (wereNeighbours ? body.slice(before.slice.end, item.slice.start) : ",") + text;
    })
    .join("");
}
