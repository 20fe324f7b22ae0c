import { type Block, type Content, isKnownBlock, type Message } from "../../core/message/message.ts";
import { describeCall } from "../../core/tool-calls/stand-in-call.ts";
import { oneLine } from "../terminal/safe-text.ts";

// A message may be as long as a file; a line of a list is not.
const MAX_CHARACTERS = 200;

/** A message as one short line of a list. */
export function describeMessage({ content }: Message): string {
  return describeContent(content).slice(0, MAX_CHARACTERS).trimEnd();
}

function describeContent(content: Content): string {
  if (typeof content === "string") return oneLine(content.slice(0, 2 * MAX_CHARACTERS));
  const parts = content.map((block) => oneLine(describeBlock(block).slice(0, 2 * MAX_CHARACTERS)));
  return parts.filter((part) => part !== "").join(" · ");
}

function describeBlock(block: Block): string {
  if (!isKnownBlock(block)) return `[${block.type}]`;
  switch (block.type) {
    case "text":
      return block.text;
    case "reasoning":
    case "image":
      return `[${block.type}]`;
    case "tool_use":
      return describeCall(block);
    case "tool_result":
      return `→ ${describeContent(block.content ?? "")}`;
  }
}
