import { type Block, isKnownBlock, type Message } from "../message/message.ts";
import { allBlocks } from "../message/tool-pairs.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { countBlockTokens } from "../tokens/count-messages.ts";
import { serialize } from "../tokens/serialize.ts";

/** The kind of a message by its most important block. */
export type MessageKind = "text" | "tool-call" | "tool-result" | "reasoning" | "image" | "summary" | "other";

export interface MessageLabel {
  readonly kind: MessageKind;
  /** The beginning of its text, in one line; "" where it has none. */
  readonly label: string;
  readonly toolName: string | undefined;
}

const LABEL_CHARACTERS = 80;
/** Only so many characters of a text are read for its label. */
const READ_CHARACTERS = 400;

/** The label of a message. */
export function describeMessage(message: Message): MessageLabel {
  const blocks = allBlocks(message.content);
  const mainType = KIND_ORDER.find((type) => blocks.some((block) => block.type === type));
  const mainBlock = blocks.find((block) => block.type === mainType) ?? blocks[0];
  const { kind, text, toolName } = describeBlock(mainBlock);
  const isOurs = message.isSummary === true || message.isTruncationMarker === true;
  return { kind: isOurs ? "summary" : kind, label: oneLine(text), toolName };
}

/** The label of each block of a message. */
export function describeBlocks(message: Message): readonly (MessageLabel & { readonly tokens: number })[] {
  const isOurs = message.isSummary === true || message.isTruncationMarker === true;
  return allBlocks(message.content).map((block) => {
    const { kind, text, toolName } = describeBlock(block);
    const tokens = countBlockTokens(block, countContentTokens);
    return { kind: isOurs ? "summary" : kind, label: oneLine(text), toolName, tokens };
  });
}

/** The number of blocks of a message; a string counts as one. */
export function blockCount({ content }: Message): number {
  return typeof content === "string" ? 1 : content.length;
}

/** The types of blocks by importance: a message with several blocks has the label of the most important one. */
const KIND_ORDER = ["tool_result", "tool_use", "image", "text", "reasoning"] as const;

interface DescribedBlock {
  readonly kind: MessageKind;
  readonly text: string;
  readonly toolName?: string | undefined;
}

function describeBlock(block: Block | undefined): DescribedBlock {
  if (block === undefined) return { kind: "text", text: "" };
  if (!isKnownBlock(block)) return { kind: "other", text: block.type };
  switch (block.type) {
    case "text":
      return { kind: "text", text: block.text };
    case "reasoning":
      return { kind: "reasoning", text: block.text };
    case "image":
      return { kind: "image", text: "" };
    case "tool_use":
      return { kind: "tool-call", text: `${block.name}(${serialize(block.input)})`, toolName: block.name };
    case "tool_result":
      return {
        kind: "tool-result",
        text: allBlocks(block.content ?? "")
          .map(textOf)
          .join(" "),
      };
  }
}

function textOf(block: Block): string {
  return "text" in block && typeof block.text === "string" ? block.text.slice(0, READ_CHARACTERS) : "";
}

export function oneLine(text: string, most = LABEL_CHARACTERS): string {
  const line = text.slice(0, READ_CHARACTERS).split(/\s+/).join(" ").trim();
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}
