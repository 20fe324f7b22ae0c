import { asRecord, fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { Block, Content, Message, UnknownBlock } from "../../core/message/message.ts";
import { readAnthropicBlock, readSealedThinking } from "../../core/transcript/anthropic-messages.ts";

/** Fields of our message type. A field of that name on the wire means something else, and is not taken over. */
const OWN_FIELDS: ReadonlySet<string> = new Set(
  `role content id ts important isSummary condenseId condenseParent isTruncationMarker truncationId truncationParent
  compaction isRetained folds`.split(/\s+/),
);

/** Makes one message of a turn's item and the items attached to it. It has one block for each block of its items, in order. */
export function readMessage(role: Message["role"], main: unknown, attached: readonly unknown[]): Message {
  const content = readContent(main, attached);
  const fields = asRecord(main) ?? {};
  const names = Object.keys(fields).filter((name) => !OWN_FIELDS.has(name));
  if (names.length === 0) return { role, content };
  return { ...Object.fromEntries(names.map((name) => [name, fields[name]])), role, content };
}

function readContent(main: unknown, attached: readonly unknown[]): Content {
  const content = asRecord(main)?.content;
  if (typeof content === "string" && attached.length === 0) return content;
  const items = contentItems(main);
  // reuses the list where it can: a large conversation has thousands
  const blocks = items.every(isPlainBlock) ? items : items.map(readBlock);
  return attached.length === 0 ? blocks : [...blocks, ...attached.flatMap(readAttached)];
}

/** The blocks of an item as they were sent. A string is one text block; an item whose content is neither string nor list is a block itself. */
export function contentItems(item: unknown): readonly unknown[] {
  const content = asRecord(item)?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [item];
}

/** Reads one block as it was sent. */
export function readBlock(value: unknown): Block {
  // returns the object itself: copying every block would be most of the work
  if (isPlainBlock(value)) return value;
  const isSealed = isRecord(value) && value.type === "redacted_thinking";
  return isSealed ? readSealedThinking(value) : readAnthropicBlock(value);
}

/** Whether the block is valid as one of our blocks without any change. */
function isPlainBlock(block: unknown): block is UnknownBlock {
  if (!isRecord(block)) return false;
  switch (block.type) {
    case "text":
      return typeof block.text === "string";
    case "tool_use":
      return typeof block.id === "string" && typeof block.name === "string";
    case "image":
      return isRecord(block.source);
    case "tool_result":
      return typeof block.tool_use_id === "string" && isPlainContent(block.content);
    default:
      return false;
  }
}

function isPlainContent(content: unknown): boolean {
  if (typeof content === "string") return true;
  return Array.isArray(content) && content.every((item) => isPlainBlock(item) && item.type !== "tool_result");
}

/** Reads an item that is not of user or assistant. Its text stays text, with the role; any other block is opaque, as a call in it is not one to answer. */
function readAttached(item: unknown): readonly Block[] {
  const role = fieldAt(item, "role");
  return contentItems(item).map((value) => {
    const text = fieldAt(value, "text");
    const isText = isRecord(value) && value.type === "text" && typeof text === "string";
    return isText ? { ...value, type: "text", text, role } : { type: "unreadable_block", role, value };
  });
}
