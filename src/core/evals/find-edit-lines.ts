import { type Block, isKnownBlock, type Message, type ToolUseBlock } from "../message/message.ts";
import type { Boundary, EvalSession } from "./eval-types.ts";
import { scanNames } from "./identifiers/scan-names.ts";
import { hasWords, sourceForms } from "./measures/source-lines.ts";
import { linesOf, messageParts } from "./view/message-parts.ts";

const MIN_LINE_CHARACTERS = 8;

/**
 * The lines that the agent had to remember for its edits within the horizon: lines of old text that the log before the boundary
 * showed (`sourceLines`), in files that no call has named since, and that nothing has shown since. Trimmed, each once.
 */
export function findEditLines(
  { messages }: EvalSession,
  { index, horizonEnd }: Boundary,
  sourceLines: ReadonlySet<string>,
): ReadonlySet<string> {
  const asked = new Set<string>();
  const shownSince = new Set<string>();
  const touchedFiles = new Set<string>();
  for (const message of messages.slice(index, horizonEnd)) {
    for (const line of untouchedOldLines(message, touchedFiles)) {
      if (sourceLines.has(line) && !shownSince.has(line)) asked.add(line);
    }
    // Added after the message: edits of one reply are written without seeing each other's outcome.
    for (const name of namedFiles(message)) touchedFiles.add(name);
    for (const line of linesShown(message)) shownSince.add(line);
  }
  return asked;
}

function* untouchedOldLines(message: Message, touchedFiles: ReadonlySet<string>): Generator<string> {
  for (const { input } of callsOf(message)) {
    for (const { path, text } of oldTexts(input)) {
      if (path !== undefined && touchedFiles.has(fileName(path))) continue;
      for (const line of linesOf(text)) {
        const trimmed = line.trim();
        if (trimmed.length >= MIN_LINE_CHARACTERS && hasWords(trimmed)) yield trimmed;
      }
    }
  }
}

function callsOf({ role, content }: Message): readonly ToolUseBlock[] {
  return role === "assistant" && typeof content !== "string" ? content.filter(isCall) : [];
}

function isCall(block: Block): block is ToolUseBlock {
  return isKnownBlock(block) && block.type === "tool_use";
}

/** The file names in the calls of a message. */
function* namedFiles(message: Message): Generator<string> {
  for (const { isCall: isCallPart, texts } of messageParts(message)) {
    if (!isCallPart) continue;
    for (const text of texts) for (const { value } of scanNames(text)) yield fileName(value);
  }
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function* linesShown(message: Message): Generator<string> {
  for (const { author, lines } of messageParts(message)) {
    if (author !== "thought") for (const line of lines) yield* sourceForms(line);
  }
}

/** The text that an edit replaces. */
interface OldText {
  /** Undefined where the tool edits the file that is open. */
  readonly path: string | undefined;
  readonly text: string;
}

const OLD_TEXT_KEYS: ReadonlySet<string> = new Set(["old_string", "old_str", "oldString", "oldText", "old_text"]);
const PATH_KEYS: ReadonlySet<string> = new Set(["file_path", "filePath", "path", "filename", "file", "target_file"]);
const MAX_DEPTH = 6;

/**
 * The old texts in the input of any tool: arguments such as `old_string`, alone or in a list of
 * edits; patches in the apply_patch format, also inside a shell command; SEARCH blocks.
 */
export function oldTexts(input: unknown): readonly OldText[] {
  const found: OldText[] = [];
  const visit = (value: unknown, outerPath: string | undefined, depth: number): void => {
    if (typeof value === "string") {
      found.push(...patchedFiles(value), ...searchedTexts(value, outerPath));
      return;
    }
    if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return;
    const entries = Object.entries(value);
    const path = entries.find(([key, inner]) => PATH_KEYS.has(key) && typeof inner === "string")?.[1] ?? outerPath;
    for (const [key, inner] of entries) {
      if (OLD_TEXT_KEYS.has(key) && typeof inner === "string") found.push({ path, text: inner });
      else visit(inner, path, depth + 1);
    }
  };
  visit(input, undefined, 0);
  return found;
}

const BEGIN = "*** Begin Patch";
const UPDATE = "*** Update File: ";

/** The old text of each file in an apply_patch text: its context lines and removed lines. */
function patchedFiles(text: string): readonly OldText[] {
  if (!text.includes(BEGIN)) return [];
  const files: { path: string; lines: string[] }[] = [];
  let isOpen = false;
  for (const line of text.slice(text.indexOf(BEGIN)).split(/\r?\n/)) {
    if (line.startsWith(UPDATE)) files.push({ path: line.slice(UPDATE.length).trim(), lines: [] });
    if (line.startsWith("*** ")) isOpen = line.startsWith(UPDATE) || (isOpen && line.startsWith("*** Move to"));
    else if (isOpen && (line.startsWith(" ") || line.startsWith("-"))) files.at(-1)?.lines.push(line.slice(1));
  }
  return files.map(({ path, lines }) => ({ path, text: lines.join("\n") }));
}

const SEARCH = /^<{5,9} ?SEARCH\b/;
const DIVIDER = /^={5,9}$/;
// Roo puts a line number and a rule above the text.
const PREAMBLE = /^(?::(?:start|end)_line:.*|-{5,9})$/;

/** The texts of SEARCH blocks, `<<<<<<< SEARCH` down to `=======`. */
function searchedTexts(text: string, path: string | undefined): readonly OldText[] {
  if (!text.includes("SEARCH")) return [];
  const found: OldText[] = [];
  let lines: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (SEARCH.test(line)) lines = [];
    else if (lines !== undefined && DIVIDER.test(line.trimEnd())) {
      found.push({ path, text: lines.join("\n") });
      lines = undefined;
    } else if (!PREAMBLE.test(line.trim())) lines?.push(line);
  }
  return found;
}
