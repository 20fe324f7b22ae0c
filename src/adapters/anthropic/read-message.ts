import type { Block, Content, Message } from "../../core/message/message.ts";
import { readAnthropicBlock } from "../../core/transcript/anthropic-messages.ts";
import { asRecord, fieldAt, isRecord } from "../../core/transcript/read-json.ts";
import type { ItemGroup, WireItem } from "./read-layout.ts";

/** Fields of ours: on the wire they would mean something else. */
const OWN_FIELDS: ReadonlySet<string> = new Set(
  `role content id ts important isSummary condenseId condenseParent isTruncationMarker truncationId truncationParent
  folds`.split(/\s+/),
);

/** The group as one message. Its blocks are those of its items, one for one and in order. */
export function readMessage({ role, main, attached }: ItemGroup): Message {
  const fields = Object.entries(asRecord(main.value) ?? {}).filter(([name]) => !OWN_FIELDS.has(name));
  return { ...Object.fromEntries(fields), role, content: readContent(main, attached) };
}

function readContent(main: WireItem, attached: readonly WireItem[]): Content {
  const content = fieldAt(main.value, "content");
  if (typeof content === "string" && attached.length === 0) return content;
  return [...contentItems(main).map(readBlock), ...attached.flatMap(readAttached)];
}

/** What stands in an item as blocks of their own; an item whose content is neither text nor a list is a block itself. */
export function contentItems({ value }: WireItem): readonly unknown[] {
  const content = fieldAt(value, "content");
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [value];
}

/** One block of the wire. Sealed thoughts are thoughts too: they stay with the call that they led to. */
export function readBlock(value: unknown): Block {
  if (!isRecord(value) || value.type !== "redacted_thinking") return readAnthropicBlock(value);
  const { type: _, data: redactedData, ...rest } = value;
  return { ...rest, type: "reasoning", text: "", redactedData };
}

/** Only text is what it seems where neither user nor assistant speaks; a call there is none that a result could answer. */
function readAttached(item: WireItem): readonly Block[] {
  const role = fieldAt(item.value, "role");
  return contentItems(item).map((value) => {
    const text = fieldAt(value, "text");
    const isText = isRecord(value) && value.type === "text" && typeof text === "string";
    return isText ? { ...value, type: "text", text, role } : { type: "unreadable_block", role, value };
  });
}
