import { type Block, type Content, isKnownBlock, type Message } from "../message/message.ts";

/** Every text that a model reads in these messages: text, reasoning, tool calls and results; no image data. */
export function* messageTexts(messages: readonly Message[]): Generator<string> {
  for (const message of messages) yield* contentTexts(message.content);
}

/** The text blocks of a message, without calls, results and reasoning; one string per block. */
export function spokenTexts({ content }: Message): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (isKnownBlock(block) && block.type === "text" ? [block.text] : []));
}

/** The texts of a tool result or of any other content. */
export function* contentTexts(content: Content | undefined): Generator<string> {
  if (content === undefined) return;
  if (typeof content === "string") yield content;
  else for (const block of content) yield* blockTexts(block);
}

function* blockTexts(block: Block): Generator<string> {
  if (!isKnownBlock(block)) {
    yield* stringsIn(block);
    return;
  }
  switch (block.type) {
    case "text":
    case "reasoning":
      yield block.text;
      break;
    case "tool_use":
      yield block.name;
      yield* stringsIn(block.input);
      break;
    case "tool_result":
      yield* contentTexts(block.content);
      break;
    case "image":
  }
}

/** All strings and numbers inside a value, as strings. Visits each object once, so that cycles end, and is not recursive. */
export function* stringsIn(value: unknown): Generator<string> {
  const visited = new Set<object>();
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next === "string") yield next;
    if (typeof next === "number") yield String(next);
    if (typeof next !== "object" || next === null || visited.has(next)) continue;
    visited.add(next);
    // Reversed, so that the first value is on top of the stack.
    for (const inner of valuesOf(next).toReversed()) stack.push(inner);
  }
}

function valuesOf(object: object): readonly unknown[] {
  try {
    return Object.values(object);
  } catch {
    // A getter threw: JSON.stringify would throw too, so the object is never sent.
    return [];
  }
}
