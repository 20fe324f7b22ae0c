import { asRecord, fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { Block, Content, Message, UnknownBlock } from "../../core/message/message.ts";
import { readAnthropicBlock, readSealedThinking } from "../../core/transcript/anthropic-messages.ts";

/** Fields of ours: on the wire they would mean something else. */
const OWN_FIELDS: ReadonlySet<string> = new Set(
  `role content id ts important isSummary condenseId condenseParent isTruncationMarker truncationId truncationParent
  compaction isRetained folds`.split(/\s+/),
);

/** A turn's item with those attached to it as one message. Its blocks are those of its items, one for one and in order. */
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
  // the same list where it can be: a large conversation has thousands
  const blocks = items.every(isPlainBlock) ? items : items.map(readBlock);
  return attached.length === 0 ? blocks : [...blocks, ...attached.flatMap(readAttached)];
}

/** What stands in an item as blocks of their own; an item whose content is neither text nor a list is a block itself. */
export function contentItems(item: unknown): readonly unknown[] {
  const content = asRecord(item)?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [item];
}

/** One block of the wire. */
export function readBlock(value: unknown): Block {
  // the same object: a copy of every block is most of the work
  if (isPlainBlock(value)) return value;
  const isSealed = isRecord(value) && value.type === "redacted_thinking";
  return isSealed ? readSealedThinking(value) : readAnthropicBlock(value);
}

/** Whether the block is one of ours as it is. */
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

/** Only text is what it seems where neither user nor assistant speaks; a call there is none that a result could answer. */
function readAttached(item: unknown): readonly Block[] {
  const role = fieldAt(item, "role");
  return contentItems(item).map((value) => {
    const text = fieldAt(value, "text");
    const isText = isRecord(value) && value.type === "text" && typeof text === "string";
    return isText ? { ...value, type: "text", text, role } : { type: "unreadable_block", role, value };
  });
}
