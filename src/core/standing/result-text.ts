import { type Block, isKnownBlock, type ToolResultBlock } from "../message/message.ts";
import type { TextSpan } from "./standing-part.ts";

/** What a tool returned, as one text: the texts of a list are its lines, and anything else in it is an empty one. */
export function resultText(result: ToolResultBlock): string {
  return placeTexts(itemsOf(result))
    .map(({ text }) => text)
    .join("\n");
}

/** A text in a list, and where it begins in the text of the whole. */
export interface PlacedText {
  readonly text: string;
  readonly start: number;
}

/** The texts that `resultText` joins. */
export function resultTexts(result: ToolResultBlock): readonly PlacedText[] {
  return placeTexts(itemsOf(result));
}

/** The parts of a result's text that lie in each item of its list, by the item's own places. */
export function spansByItem(items: readonly Block[], spans: readonly TextSpan[]): readonly (readonly TextSpan[])[] {
  return placeTexts(items).map(({ text, start }) =>
    spans
      .map((span) => ({ start: Math.max(0, span.start - start), end: Math.min(text.length, span.end - start) }))
      .filter((span) => span.start < span.end),
  );
}

function itemsOf({ content = "" }: ToolResultBlock): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function placeTexts(items: readonly Block[]): readonly PlacedText[] {
  let offset = 0;
  return items.map((item) => {
    const text = isKnownBlock(item) && item.type === "text" ? item.text : "";
    const start = offset;
    offset += text.length + 1;
    return { text, start };
  });
}
