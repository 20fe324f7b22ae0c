import { fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type KnownBlock, type Message } from "../../core/message/message.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
import { turnsOf } from "../shared/join-turns.ts";
import type {
  AnthropicBlock,
  AnthropicMessage,
  AnthropicResultItem,
  AnthropicToolResultBlock,
} from "./anthropic-prompt.ts";
import { pickFields } from "./fields.ts";

/** Messages that are arranged for this API, block for block. */
export function writeMessages(messages: readonly Message[]): AnthropicMessage[] {
  return turnsOf(messages).flatMap((turn) =>
    turn.flatMap((message, index) => writeMessage(message, index === turn.length - 1)),
  );
}

/** What the system said among the messages may stand where the user's turn ends; elsewhere it is the user's. */
function writeMessage({ role, content }: Message, isEndOfTurn: boolean): AnthropicMessage[] {
  if (typeof content === "string") return [{ role, content }];
  const end = content.findLastIndex((block) => fieldAt(block, "role") !== "system") + 1;
  const canSplit = isEndOfTurn && role === "user" && end > 0 && end < content.length;
  if (!canSplit) return [{ role, content: content.flatMap(writeBlock) }];
  const own: WrittenMessage = { role, content: content.slice(0, end).flatMap(writeBlock) };
  const system: WrittenMessage = { role: "system", content: content.slice(end).flatMap(writeBlock) };
  return [own, system].filter(isMessage);
}

interface WrittenMessage {
  readonly role: string;
  readonly content: AnthropicBlock[];
}

/** The types name what every version of the client takes; newer ones know the role "system" too. */
function isMessage(message: WrittenMessage): message is WrittenMessage & AnthropicMessage {
  return ["user", "assistant", "system"].includes(message.role);
}

function writeBlock(block: Block): AnthropicBlock[] {
  if (isKnownBlock(block)) return writeKnown(block);
  const { role: _, ...carried }: JsonRecord = { ...block };
  return [carried].filter(isOwnBlock);
}

/** The same for blocks of this API that we only carry: `showBlock` has left no others. */
function isOwnBlock(block: JsonRecord): block is JsonRecord & AnthropicBlock {
  return typeof block.type === "string";
}

function writeKnown(block: KnownBlock): AnthropicBlock[] {
  const fields = pickFields(block);
  switch (block.type) {
    case "text":
      return [{ ...fields, type: "text", text: block.text }];
    case "image":
      return [{ ...fields, type: "image" }].filter(isOwnBlock);
    case "reasoning": {
      const thinking = writeAnthropicThinking({ ...fields, type: "reasoning" });
      return thinking === undefined ? [] : [thinking];
    }
    case "tool_use":
      return [{ ...fields, type: "tool_use", id: block.id, name: block.name, input: block.input }];
    case "tool_result": {
      const { content, ...rest } = fields;
      const result: AnthropicToolResultBlock = { ...rest, type: "tool_result", tool_use_id: block.tool_use_id };
      if (typeof block.content === "string") return [{ ...result, content: block.content }];
      return [content === undefined ? result : { ...result, content: (block.content ?? []).flatMap(writeItem) }];
    }
  }
}

function writeItem(block: Block): AnthropicResultItem[] {
  return writeBlock(block).filter(isItem);
}

function isItem(block: AnthropicBlock): block is AnthropicResultItem {
  return !["tool_use", "tool_result", "thinking", "redacted_thinking"].includes(block.type);
}
