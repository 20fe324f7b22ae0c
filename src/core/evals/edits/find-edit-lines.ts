import { type Block, isKnownBlock, type Message, type ToolUseBlock } from "../../message/message.ts";
import type { Boundary, EvalSession } from "../eval-types.ts";
import { scanNames } from "../identifiers/scan-names.ts";
import { hasWords, sourceForms } from "../measures/line-forms.ts";
import { linesOf, messageParts } from "../view/message-parts.ts";
import { oldTexts } from "./old-texts.ts";

const MIN_LINE_CHARACTERS = 8;

/**
 * The lines that the agent had to know by heart for its edits within the horizon: lines of old text that the log before the boundary
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
    // Only now: edits of one reply are written without seeing each other's outcome.
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

/** The last name of every path in the calls of a message. */
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
