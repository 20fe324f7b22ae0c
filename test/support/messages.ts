import type { Block, Message, TextBlock, ToolResultBlock, ToolUseBlock } from "../../src/core/message/message.ts";

/** A user message: one string stays a string, anything else becomes blocks. */
export function user(...parts: readonly (string | Block)[]): Message {
  return { role: "user", content: contentOf(parts) };
}

/** An assistant message: one string stays a string, anything else becomes blocks. */
export function assistant(...parts: readonly (string | Block)[]): Message {
  return { role: "assistant", content: contentOf(parts) };
}

export function text(value: string): TextBlock {
  return { type: "text", text: value };
}

export function call(id: string, name = "read_file", input: unknown = { path: "a.ts" }): ToolUseBlock {
  return { type: "tool_use", id, name, input };
}

export function result(id: string, content = "done"): ToolResultBlock {
  return { type: "tool_result", tool_use_id: id, content };
}

/** The message with more fields, known or not. */
export function tag<Fields extends object>(message: Message, fields: Fields): Message & Fields {
  return { ...message, ...fields };
}

/** Gives each message an id (m0, m1 …) and a time (1000, 2000 …) where it has none, and freezes them all. */
export function log(...messages: readonly Message[]): readonly Message[] {
  return numbered(messages);
}

/** `length` messages that alternate between user and assistant, each with words of its own. */
export function talk(length: number): readonly Message[] {
  return Array.from({ length }, (_, index) => (index % 2 === 0 ? user(`ask ${index}`) : assistant(`reply ${index}`)));
}

/** A log of plain talk: m0 … with ids and times. */
export function chat(length: number): readonly Message[] {
  return numbered(talk(length));
}

function numbered(messages: readonly Message[]): readonly Message[] {
  return deepFreeze(messages.map((message, index) => ({ id: `m${index}`, ts: (index + 1) * 1_000, ...message })));
}

/** Hides the messages with these ids behind a new summary, put after the last of them. */
export function condense(messages: readonly Message[], condenseId: string, hidden: readonly string[]) {
  const summary = tag(assistant(`summary ${condenseId}`), { id: condenseId, isSummary: true, condenseId });
  return hideBehind(messages, hidden, { standIn: summary, parent: { condenseParent: condenseId } });
}

/** Hides the messages with these ids behind a new truncation marker, put after the last of them. */
export function truncate(messages: readonly Message[], truncationId: string, hidden: readonly string[]) {
  const marker = tag(user(`marker ${truncationId}`), { id: truncationId, isTruncationMarker: true, truncationId });
  return hideBehind(messages, hidden, { standIn: marker, parent: { truncationParent: truncationId } });
}

function hideBehind(
  messages: readonly Message[],
  hidden: readonly string[],
  { standIn, parent }: { readonly standIn: Message; readonly parent: Partial<Message> },
): readonly Message[] {
  const isHidden = (message: Message) => message.id !== undefined && hidden.includes(message.id);
  const tagged = messages.map((message) => (isHidden(message) ? { ...message, ...parent } : message));
  return deepFreeze(tagged.toSpliced(messages.findLastIndex(isHidden) + 1, 0, standIn));
}

export function ids(messages: readonly Message[]): readonly (string | undefined)[] {
  return messages.map((message) => message.id);
}

/** Freezes a value and all that it holds, so that a mutation anywhere throws. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

function contentOf(parts: readonly (string | Block)[]): Message["content"] {
  const [first] = parts;
  if (parts.length === 1 && typeof first === "string") return first;
  return parts.map((part) => (typeof part === "string" ? text(part) : part));
}
