import { type Block, type Content, isKnownBlock, type Message } from "../message/message.ts";

/** Every text that a model reads in these messages: what was said, thought, called and returned; no image data. */
export function* messageTexts(messages: readonly Message[]): Generator<string> {
  for (const message of messages) yield* contentTexts(message.content);
}

/** What was said in a message, without calls, results and thoughts; one text per block. */
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

/** All strings inside a value, each object visited once, so that cycles end and deep nesting needs no stack. */
export function* stringsIn(value: unknown): Generator<string> {
  const visited = new Set<object>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") yield next;
    if (typeof next === "number") yield String(next);
    if (typeof next !== "object" || next === null || visited.has(next)) continue;
    visited.add(next);
    // The last one in is the next one out.
    for (const inner of valuesOf(next).toReversed()) waiting.push(inner);
  }
}

function valuesOf(object: object): readonly unknown[] {
  try {
    return Object.values(object);
  } catch {
    // A getter threw: what it would have given is not sent either.
    return [];
  }
}
