import {
  type Block,
  type Content,
  type CountTokens,
  isKnownBlock,
  type ToolResultBlock,
} from "../../message/message.ts";

/** A block taken apart into what is clipped on its own: the items of a tool result, or the block itself. */
export interface BlockParts {
  readonly items: readonly Block[];
  /** The items lie inside the block. */
  readonly isNested: boolean;
  /** The block with other items in place of its own, one for one. */
  readonly assemble: (items: readonly Block[]) => Block;
  /** Tokens of one item in its place. */
  readonly measure: (item: Block) => number;
  /** Tokens of the block around its items, where they are not part of each measure. */
  readonly frameTokens: number;
}

/** Takes a message's content apart. A string is one text block, counted as the string that it stays. */
export function takeContentApart(content: Content, countTokens: CountTokens): readonly BlockParts[] {
  if (typeof content !== "string") return content.map((block) => takeApart(block, countTokens));
  const block: Block = { type: "text", text: content };
  return [wholePart(block, (item) => countTokens(textOf(item) ?? [item]))];
}

export function takeApart(block: Block, countTokens: CountTokens): BlockParts {
  const isFilled = isKnownBlock(block) && block.type === "tool_result" && block.content !== undefined;
  return isFilled ? takeResultApart(block, countTokens) : wholePart(block, (item) => countTokens([item]));
}

function wholePart(block: Block, measure: (item: Block) => number): BlockParts {
  return { items: [block], isNested: false, assemble: ([item = block]) => item, measure, frameTokens: 0 };
}

function takeResultApart(block: ToolResultBlock, countTokens: CountTokens): BlockParts {
  const { content = "" } = block;
  if (typeof content === "string") {
    const assemble = ([item]: readonly Block[]) => ({ ...block, content: textOf(item) ?? content });
    const measure = (item: Block) => countTokens([assemble([item])]);
    return { items: [{ type: "text", text: content }], isNested: true, assemble, measure, frameTokens: 0 };
  }
  const assemble = (items: readonly Block[]) => ({ ...block, content: items });
  const frameTokens = countTokens([assemble([])]);
  const measure = (item: Block) => Math.max(0, countTokens([assemble([item])]) - frameTokens);
  return { items: content, isNested: true, assemble, measure, frameTokens };
}

function textOf(item: Block | undefined): string | undefined {
  return item !== undefined && isKnownBlock(item) && item.type === "text" ? item.text : undefined;
}
