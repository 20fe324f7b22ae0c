import { type Block, type Content, isKnownBlock, type Message, type ToolUseBlock } from "../../message/message.ts";
import { withoutInjected } from "../../standing/injected-text.ts";
import { hostRole } from "../../standing/read-standing.ts";
import { identifierValues } from "../../text/identifiers.ts";
import { keyOf } from "../../text/line-key.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { SPOKEN_OUTPUTS } from "../../tool-calls/agent-tools.ts";
import { entriesOf, findRule } from "../../tool-calls/find-rule.ts";
import { normalize } from "../../tool-calls/stand-in-call.ts";
import { type CutLine, cutLines, LINE_END } from "./cut-lines.ts";
import { isNoise, isSetting } from "./noise.ts";

/** Who wrote a line: a person, the model, the model to a tool, or a tool. */
export type LineSource = "user" | "assistant" | "call" | "result";

/** One line of a message as it was written, without the white space around it but for the indentation of code. */
export interface SourceLine {
  readonly text: string;
  /** The line without what tools put before lines: equal for lines that say the same. */
  readonly key: string;
  /** The key of what a file would hold: of an argument, its value without its name. */
  readonly code: string;
  /** With its line break. */
  readonly tokens: number;
  readonly identifiers: readonly string[];
  /** It holds nothing but one identifier, as a list of files does. */
  readonly isBare: boolean;
  /** Its place in the file that a tool showed, where it told that. */
  readonly number?: number;
  /** How it is quoted, where that is not as it is: of an edit, without the name of the argument, and marked where the edit put it in. */
  readonly quoted?: string;
  /** It stands in what an edit replaces. */
  readonly isBefore?: true;
}

/** The lines of one block. */
export interface SourceBlock {
  readonly source: LineSource;
  /** Index into the message's content. */
  readonly blockIndex: number;
  readonly lines: readonly SourceLine[];
}

// Messages are immutable, so each is read once however often a session is condensed. Tagging a message copies it, but
// not its blocks.
const known = new WeakMap<object, readonly SourceBlock[]>();

/** The lines of a message that could be quoted: texts, tool arguments and tool output; not what the model thought. */
export function sourceBlocks(message: Message): readonly SourceBlock[] {
  const key = keyOfCache(message);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const contents: readonly Block[] =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const blocks = contents.flatMap((block, blockIndex): readonly SourceBlock[] => {
    const read = readBlock(block, message.role);
    return read === undefined ? [] : [{ source: read.source, blockIndex, lines: read.lines }];
  });
  known.set(key, blocks);
  return blocks;
}

export function forgetSource(message: Message): void {
  known.delete(keyOfCache(message));
}

function keyOfCache(message: Message): object {
  return typeof message.content === "string" ? message : message.content;
}

type BlockLines = Omit<SourceBlock, "blockIndex">;

function readBlock(block: Block, role: Message["role"]): BlockLines | undefined {
  if (!isKnownBlock(block)) return undefined;
  switch (block.type) {
    case "text": {
      // What the system says, and what an agent puts between the user's words, is none of them: it stays where it binds.
      if (hostRole(block) !== undefined) return undefined;
      const said = role === "user" ? withoutInjected(block.text) : block.text;
      return { source: sourceOfText(said, role), lines: cutLines(said).map(({ text }) => sourceLine(text)) };
    }
    case "tool_use":
      return { source: "call", lines: argumentLines(block).map(argumentLine) };
    case "tool_result":
      return {
        source: "result",
        lines: resultTexts(block.content ?? "").flatMap((text) => cutLines(text).flatMap(resultLine)),
      };
    case "image":
    case "reasoning":
      return undefined;
  }
}

/** What Codex's shell says above what a command printed, of any command that ended well. */
const SHELL_REPORT =
  /^(?:Chunk ID: [0-9a-f]{1,16}|Wall time: [\d.]{1,16} seconds|Process exited with code 0|Original token count: \d{1,12}|Output:)$/;

function resultLine({ text, number }: CutLine): readonly SourceLine[] {
  // Lines of a file are what they are.
  if (number !== undefined) return [{ ...sourceLine(text), number }];
  return SHELL_REPORT.test(text) || isNoise(text) ? [] : [sourceLine(text)];
}

function sourceOfText(text: string, role: Message["role"]): LineSource {
  if (role === "assistant") return "assistant";
  const start = text.slice(0, 200).trimStart();
  return SPOKEN_OUTPUTS.some((opening) => start.startsWith(opening)) ? "result" : "user";
}

function resultTexts(content: Content): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((item) => (isKnownBlock(item) && item.type === "text" ? [item.text] : []));
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

function sourceLine(text: string, value = text): SourceLine {
  const identifiers = identifierValues(text);
  const key = keyOf(text);
  return {
    text,
    key,
    code: value === text ? key : keyOf(value),
    tokens: countTextTokens(`${text}\n`),
    identifiers,
    isBare: isBare(text, identifiers),
  };
}

function isBare(text: string, [only]: readonly string[]): boolean {
  if (only === undefined) return false;
  // Mostly there are words before it, and the rest need not be looked at.
  const start = text.indexOf(only);
  return !(start > 0 && WORD_CHARACTER.test(text.slice(0, start))) && !WORD_CHARACTER.test(text.replaceAll(only, " "));
}

/** Deeper arguments are data, and nobody names what lies in them. */
const MAX_DEPTH = 8;
/** More arguments than this are data too. */
const MAX_ARGUMENTS = 1_000;

interface ArgumentLine {
  readonly text: string;
  /** Without the name of the argument. */
  readonly value: string;
  readonly side: Side | undefined;
}

/** Of an edit: what it replaces, or what it puts there; then with the keys of the lines that it replaces. */
type Side = { readonly type: "before" } | { readonly type: "after"; readonly replaced: ReadonlySet<string> };

function argumentLine({ text, value, side }: ArgumentLine): SourceLine {
  const line = sourceLine(text, value);
  if (side === undefined) return line;
  if (side.type === "before") return { ...line, isBefore: true };
  const quoted = side.replaced.has(line.code) ? value : `${ADDED}${value}`;
  return quoted === text ? line : { ...line, quoted, tokens: countTextTokens(`${quoted}\n`) };
}

/** Stands before lines that an edit put into a file. */
const ADDED = "+ ";

/** What a tool was called with: `path: a.ts` on one line; the lines of a longer text as they are. */
function argumentLines(call: ToolUseBlock): readonly ArgumentLine[] {
  const lines: ArgumentLine[] = [];
  const sidesOf = sideReader(call);
  let left = MAX_ARGUMENTS;
  const visit = (name: string, value: unknown, { depth, side }: { depth: number; side?: Side | undefined }): void => {
    if (typeof value === "object" && value !== null) {
      if (depth >= MAX_DEPTH) return;
      const entries = entriesOf(value);
      const sides = sidesOf(entries);
      for (const [key, inner] of entries) {
        if (left-- > 0) visit(name === "" ? key : `${name}.${key}`, inner, { depth: depth + 1, side: sides?.get(key) });
      }
    } else if ((typeof value === "string" || typeof value === "number") && !isSetting(name, value)) {
      const text = String(value);
      const prefix = name === "" || LINE_END.test(text) ? "" : `${name}: `;
      for (const { text: line } of cutLines(prefix + text)) {
        lines.push({ text: line, value: line.startsWith(prefix) ? line.slice(prefix.length) : line, side });
      }
    }
  };
  visit("", call.input, { depth: 0 });
  return lines;
}

type Entries = ReturnType<typeof entriesOf>;

/** Tells which arguments of an edit hold what it replaces, and which what it puts there; one call may make several edits. */
function sideReader(call: ToolUseBlock): (entries: Entries) => ReadonlyMap<string, Side> | undefined {
  const { kind, oldText = [], newText = [] } = findRule(call);
  if (kind !== "edit" || oldText.length === 0) return () => undefined;
  const [before, after] = [new Set(oldText.map(normalize)), new Set(newText.map(normalize))];
  return (entries) => {
    const replaced = new Set<string>();
    const sides = new Map<string, Side>();
    for (const [key, value] of entries) {
      if (typeof value !== "string" || !before.has(normalize(key))) continue;
      sides.set(key, { type: "before" });
      for (const { text } of cutLines(value)) replaced.add(keyOf(text));
    }
    // What replaces nothing is a file, or a part of one, as it is.
    if (replaced.size === 0) return undefined;
    for (const [key] of entries) if (after.has(normalize(key))) sides.set(key, { type: "after", replaced });
    return sides;
  };
}
