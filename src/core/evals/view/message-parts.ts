import { type Block, type Content, isKnownBlock, type Message } from "../../message/message.ts";
import { serialize } from "../../tokens/serialize.ts";

/** The author of a text. A thought is the agent's, but is not visible afterwards, so that it neither needs nor repeats a fact. */
export type Author = "agent" | "thought" | "tool" | "user";

/** One block of a message as text. */
export interface MessagePart {
  readonly author: Author;
  /** Whether this is the input of a tool call. */
  readonly isCall: boolean;
  /** The line above it in a rendered view. */
  readonly heading: string;
  /** Its lines in a rendered view: content as it is; arguments of a call under their names. */
  readonly lines: readonly string[];
  /** The texts without additions of the rendering, such as names of arguments. */
  readonly texts: readonly string[];
  /** Other verbatim forms of the part: a call as JSON. */
  readonly otherForms: readonly string[];
}

const cachedParts = new WeakMap<Message, readonly MessagePart[]>();

/** The parts of a message in order; cached by message object. */
export function messageParts(message: Message): readonly MessagePart[] {
  const cached = cachedParts.get(message);
  if (cached !== undefined) return cached;
  const { content, role } = message;
  const parts =
    typeof content === "string" ? [textPart(role, content)] : content.flatMap((block) => blockParts(role, block));
  cachedParts.set(message, parts);
  return parts;
}

function textPart(role: Message["role"], text: string): MessagePart {
  return plainPart(role === "assistant" ? "agent" : "user", `[${role}]`, text);
}

function plainPart(author: Author, heading: string, text: string): MessagePart {
  return { author, isCall: false, heading, lines: linesOf(text), texts: [text], otherForms: [] };
}

function blockParts(role: Message["role"], block: Block): readonly MessagePart[] {
  if (!isKnownBlock(block)) return [textPart(role, serialize(block))];
  switch (block.type) {
    case "text":
      return [textPart(role, block.text)];
    case "reasoning":
      return block.text === "" ? [] : [plainPart("thought", "[reasoning]", block.text)];
    case "image":
      return [plainPart(role === "assistant" ? "agent" : "user", "[image]", "")];
    case "tool_use":
      return [callPart(block.name, block.input)];
    case "tool_result":
      return [plainPart("tool", block.is_error ? "[result: error]" : "[result]", contentText(block.content ?? ""))];
  }
}

/** For longer calls, a form with the tool's name is not needed: a piece of the arguments is enough to recognise them. */
const MAX_SHORT_CALL_CHARACTERS = 200;

function callPart(name: string, input: unknown): MessagePart {
  const { lines, texts } = callLines(input);
  const json = serialize(input);
  const isShort = json.length <= MAX_SHORT_CALL_CHARACTERS;
  const otherForms = isShort ? [json, `${name} ${json}`, `${name}(${json})`] : [json];
  return { author: "agent", isCall: true, heading: `[call: ${name}]`, lines, texts, otherForms };
}

function contentText(content: Content): string {
  if (typeof content === "string") return content;
  const texts = content.map((block) => {
    if (!isKnownBlock(block)) return serialize(block);
    if (block.type === "text" || block.type === "reasoning") return block.text;
    return block.type === "image" ? "[image]" : serialize(block);
  });
  return texts.join("\n");
}

/** The lines of a text, with any kind of line end. */
export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(/\r\n|\r|\n/);
}

/** The input of a tool call, as lines and as bare values. */
interface CallLines {
  readonly lines: readonly string[];
  readonly texts: readonly string[];
}

// Deeper values are data, not arguments that a person would read.
const MAX_DEPTH = 8;

/**
 * Writes each value with its name: `path: a.ts` on one line, a text of several lines as it is below `content:`. An input
 * that is a text has no name.
 */
function callLines(input: unknown): CallLines {
  const lines: string[] = [];
  const texts: string[] = [];
  const visit = (name: string, value: unknown, depth: number): void => {
    if (typeof value === "object" && value !== null) {
      if (depth >= MAX_DEPTH) return;
      for (const [key, inner] of entriesOf(value)) visit(name === "" ? key : `${name}.${key}`, inner, depth + 1);
      return;
    }
    if (value === undefined || value === null) return;
    const text = String(value);
    if (typeof value !== "boolean") texts.push(text);
    // Not spread into push: a text may have more lines than a function takes arguments.
    for (const line of namedLines(name, text)) lines.push(line);
  };
  visit("", input, 0);
  return { lines, texts };
}

function namedLines(name: string, text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (name === "") return lines;
  return lines.length === 1 ? [`${name}: ${text}`] : [`${name}:`, ...lines];
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(value);
  } catch {
    // A getter threw: JSON.stringify would throw too, so the call is never sent.
    return [];
  }
}
