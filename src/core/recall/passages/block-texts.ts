import { type Block, type Content, isKnownBlock, type Message, type ToolUseBlock } from "../../message/message.ts";
import { serialize } from "../../tokens/serialize.ts";

/** What a passage is an excerpt of; `summary` is text of a summary that is hidden itself. */
export type PassageKind = "text" | "reasoning" | "tool-call" | "tool-result" | "summary";

export function passageKind({ isSummary }: Message, block: Block | string): PassageKind {
  if (typeof block === "string" || !isKnownBlock(block)) return isSummary === true ? "summary" : "text";
  switch (block.type) {
    case "text":
    case "image":
      return isSummary === true ? "summary" : "text";
    case "reasoning":
      return "reasoning";
    case "tool_use":
      return "tool-call";
    case "tool_result":
      return "tool-result";
  }
}

/**
 * The texts of a block, unchanged: text, reasoning, a tool's result, or a call's arguments. An image has none; the text of
 * an unknown block is its JSON.
 */
export function blockTexts(block: Block | string): readonly string[] {
  if (typeof block === "string") return [block];
  if (!isKnownBlock(block)) return [serialize(block)];
  switch (block.type) {
    case "text":
    case "reasoning":
      return [block.text];
    case "image":
      return [];
    case "tool_use":
      return callTexts(block);
    case "tool_result":
      return contentTexts(block.content ?? "");
  }
}

function contentTexts(content: Content): readonly string[] {
  return typeof content === "string" ? [content] : content.flatMap(blockTexts);
}

const MIN_DOCUMENT_CHARACTERS = 400;

/**
 * The arguments of a call: documents among them (a file that is written, a script) as they are, as in JSON they would be one long
 * line full of escapes; the arguments between them as JSON.
 */
function callTexts({ input }: ToolUseBlock): readonly string[] {
  if (typeof input === "string") return [input];
  const entries = plainEntries(input);
  if (!entries.some(([, value]) => isDocument(value))) return [serialize(input)];
  const texts: string[] = [];
  let stretch: string[] = [];
  for (const [key, value] of entries) {
    if (isDocument(value)) {
      texts.push(stretch.join(","), value);
      stretch = [];
    } else if (value !== undefined) stretch.push(`${JSON.stringify(key)}:${serialize(value)}`);
  }
  return [...texts, stretch.join(",")].filter((text) => text !== "");
}

function isDocument(value: unknown): value is string {
  return typeof value === "string" && (value.includes("\n") || value.length >= MIN_DOCUMENT_CHARACTERS);
}

function plainEntries(input: unknown): readonly (readonly [string, unknown])[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  try {
    return Object.entries(input);
  } catch {
    // A getter threw: `serialize` then writes a placeholder.
    return [];
  }
}
