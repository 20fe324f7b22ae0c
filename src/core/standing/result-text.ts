import { type Block, isKnownBlock, type ToolResultBlock } from "../message/message.ts";
import { allBlocks } from "../message/tool-pairs.ts";
import type { TextSpan } from "./standing-part.ts";

/** A tool's result as one text: its text items joined by line breaks, with an empty line for any other item. */
export function resultText(result: ToolResultBlock): string {
  return placeTexts(itemsOf(result))
    .map(({ text }) => text)
    .join("\n");
}

/** The text of one item, and its offset in the text of the whole result. */
export interface PlacedText {
  readonly text: string;
  readonly start: number;
}

/** The texts that `resultText` joins, with their offsets. */
export function resultTexts(result: ToolResultBlock): readonly PlacedText[] {
  return placeTexts(itemsOf(result));
}

/** For each item, the parts of these spans of the result's text that are in it, as offsets in the item. */
export function spansByItem(items: readonly Block[], spans: readonly TextSpan[]): readonly (readonly TextSpan[])[] {
  return placeTexts(items).map(({ text, start }) =>
    spans
      .map((span) => ({ start: Math.max(0, span.start - start), end: Math.min(text.length, span.end - start) }))
      .filter((span) => span.start < span.end),
  );
}

function itemsOf({ content = "" }: ToolResultBlock): readonly Block[] {
  return allBlocks(content);
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
