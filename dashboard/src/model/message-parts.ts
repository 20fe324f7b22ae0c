import type { Block, BlockFold, Message } from "../api/types.ts";
import { oneLine } from "./safe-text.ts";

/** One block of a message for a reader: what was said, and what the view shows instead where a fold replaced it. */
export interface MessagePart {
  readonly title: string;
  readonly text: string;
  readonly standIn?: {
    readonly foldId: string;
    readonly kind: string;
    readonly text: string;
    readonly hiddenTokens: number;
  };
}

/** What is read of a message, whether the API or a report has it. */
export type ReadMessage = Pick<Message, "content" | "folds">;

export function messageParts({ content, folds = [] }: ReadMessage): readonly MessagePart[] {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.map((block, index) => {
    const fold = folds.findLast((each) => each.blockIndex === index);
    const part = { title: blockTitle(block), text: blockText(block) };
    return fold === undefined ? part : { ...part, standIn: standInOf(fold) };
  });
}

function standInOf({ foldId, kind, standIn, hiddenTokens }: BlockFold): NonNullable<MessagePart["standIn"]> {
  return { foldId, kind, hiddenTokens, text: blockText(standIn) };
}

function blockTitle({ type, name }: Block): string {
  if (type === "tool_use") return `Call of ${oneLine(name ?? "a tool", 60)}`;
  return BLOCK_TITLES[type] ?? oneLine(type, 60);
}

const BLOCK_TITLES: Readonly<Record<string, string>> = {
  text: "Text",
  tool_result: "Result of a tool",
  reasoning: "Reasoning",
  thinking: "Reasoning",
  image: "Image",
};

/** A block as text; what has none is shown as JSON. Images and the like are only named: they are never loaded. */
export function blockText(block: Block): string {
  const { type, text, content, input } = block;
  if (typeof text === "string") return text;
  if (type === "image") return "(an image)";
  if (type === "tool_use") return JSON.stringify(input, undefined, 2) ?? "";
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((each: Block) => blockText(each)).join("\n");
  return JSON.stringify(block, undefined, 2);
}
