import { type Block, type Content, isKnownBlock, type Message, type ToolUseBlock } from "../../message/message.ts";
import { withoutInjected } from "../../standing/injected-text.ts";
import { hostRole } from "../../standing/read-standing.ts";
import { identifierValues } from "../../text/identifiers.ts";
import { keyOf } from "../../text/line-key.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { findRule } from "../../tool-calls/find-rule.ts";
import { readSpokenResult, spokenResults } from "../../tool-calls/spoken-results.ts";
import { entriesOf, normalize } from "../../tool-calls/stand-in-call.ts";
import { type CutLine, cutLines, LINE_END } from "./cut-lines.ts";
import { isNoise, isSetting } from "./noise.ts";

/** Who wrote a line: a person, the model, the model to a tool, or a tool. */
export type LineSource = "user" | "assistant" | "call" | "result";

/** One line of a message as it was written, trimmed but for its indentation. */
export interface SourceLine {
  readonly text: string;
  /** The line without prefixes that tools add: equal for lines that say the same. */
  readonly key: string;
  /** The key of the line as a file would hold it: for an argument, of its value without its name. */
  readonly code: string;
  /** Including its line break. */
  readonly tokens: number;
  readonly identifiers: readonly string[];
  /** Whether it holds nothing but one identifier, as the lines of a list of files do. */
  readonly isBare: boolean;
  /** Its line number in a file, where the tool showed it. */
  readonly number?: number;
  /** The text that is quoted, where it differs from `text`: for an edit, without the argument's name, and marked where the edit added the line. */
  readonly quoted?: string;
  /** Set on a line of the text that an edit replaces. */
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
// not its content, which is the key.
const blocksByContent = new WeakMap<object, readonly SourceBlock[]>();

/** The lines of a message that could be quoted: texts, tool arguments and tool output, but no reasoning. */
export function sourceBlocks(message: Message): readonly SourceBlock[] {
  const key = keyOfCache(message);
  const cached = blocksByContent.get(key);
  if (cached !== undefined) return cached;
  const contents: readonly Block[] =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const returned = new Set(message.role === "user" ? spokenResults(contents).map(({ blockIndex }) => blockIndex) : []);
  const blocks = contents.flatMap((block, blockIndex): readonly SourceBlock[] => {
    const read = readBlock(block, returned.has(blockIndex) ? "tool" : message.role);
    return read === undefined ? [] : [{ source: read.source, blockIndex, lines: read.lines }];
  });
  blocksByContent.set(key, blocks);
  return blocks;
}

export function forgetSource(message: Message): void {
  blocksByContent.delete(keyOfCache(message));
}

function keyOfCache(message: Message): object {
  return typeof message.content === "string" ? message : message.content;
}

type BlockLines = Omit<SourceBlock, "blockIndex">;

function readBlock(block: Block, role: Message["role"] | "tool"): BlockLines | undefined {
  if (!isKnownBlock(block)) return undefined;
  switch (block.type) {
    case "text": {
      // Text of the system, and text that an agent injects between the user's words, is not quoted: it stays visible while it binds.
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

/** Lines that Codex's shell prints above the output of every command that ended well. */
const SHELL_REPORT =
  /^(?:Chunk ID: [0-9a-f]{1,16}|Wall time: [\d.]{1,16} seconds|Process exited with code 0|Original token count: \d{1,12}|Output:)$/;

function resultLine({ text, number }: CutLine): readonly SourceLine[] {
  // Lines of a file are never noise.
  if (number !== undefined) return [{ ...sourceLine(text), number }];
  return SHELL_REPORT.test(text) || isNoise(text) ? [] : [sourceLine(text)];
}

function sourceOfText(text: string, role: Message["role"] | "tool"): LineSource {
  if (role === "assistant") return "assistant";
  return role === "tool" || readSpokenResult(text.trimStart()) !== undefined ? "result" : "user";
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
  // Mostly there are words before it, so that the rest need not be searched.
  const start = text.indexOf(only);
  return !(start > 0 && WORD_CHARACTER.test(text.slice(0, start))) && !WORD_CHARACTER.test(text.replaceAll(only, " "));
}

/** Deeper arguments are data, which is not quoted. */
const MAX_DEPTH = 8;
/** More arguments than this are data too. */
const MAX_ARGUMENTS = 1_000;

interface ArgumentLine {
  readonly text: string;
  /** Without the name of the argument. */
  readonly value: string;
  readonly side: Side | undefined;
}

/** Whether an argument of an edit is the text that it replaces, or the text that it writes instead; then with the keys of the replaced lines. */
type Side = { readonly type: "before" } | { readonly type: "after"; readonly replaced: ReadonlySet<string> };

function argumentLine({ text, value, side }: ArgumentLine): SourceLine {
  const line = sourceLine(text, value);
  if (side === undefined) return line;
  if (side.type === "before") return { ...line, isBefore: true };
  const quoted = side.replaced.has(line.code) ? value : `${ADDED}${value}`;
  return quoted === text ? line : { ...line, quoted, tokens: countTextTokens(`${quoted}\n`) };
}

/** Marks lines that an edit added to a file. */
const ADDED = "+ ";

/** The lines of a call's arguments: `path: a.ts` for a short one; the lines of a longer text as they are. */
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

/** Finds the arguments of an edit with the replaced text and with the new text; one call may make several edits. */
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
    // Text that replaces nothing is a file, or a part of one, and has no marks.
    if (replaced.size === 0) return undefined;
    for (const [key] of entries) if (after.has(normalize(key))) sides.set(key, { type: "after", replaced });
    return sides;
  };
}
