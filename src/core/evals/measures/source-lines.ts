import type { Message } from "../../message/message.ts";
import { scanNames } from "../identifiers/scan-names.ts";
import { messageParts } from "../view/message-parts.ts";

/** The log before a boundary, line by line. */
export interface SourceLines {
  /** Every line in each of its {@link sourceForms}. */
  readonly lines: ReadonlySet<string>;
  /** For each needed identifier, the lines that show it, newest last, each once. */
  readonly linesWith: ReadonlyMap<string, readonly string[]>;
}

/** Indexes the lines of `messages` for the needed identifiers. */
export function indexSourceLines(messages: readonly Message[], identifiers: ReadonlySet<string>): SourceLines {
  const lines = new Set<string>();
  const linesWith = new Map<string, Set<string>>();
  const add = (line: string) => {
    const forms = sourceForms(line);
    const [whole = ""] = forms;
    if (whole === "") return;
    for (const form of forms) lines.add(form);
    for (const { value } of scanNames(whole)) {
      if (!identifiers.has(value)) continue;
      const found = linesWith.get(value) ?? new Set();
      linesWith.set(value, found);
      // Deleted first, so that the newest comes last.
      found.delete(whole);
      found.add(whole);
    }
  };
  for (const message of messages) {
    for (const part of messageParts(message)) {
      for (const line of part.otherForms) add(line);
      for (const line of part.lines) add(line);
    }
  }
  return { lines, linesWith: new Map(Array.from(linesWith, ([value, found]) => [value, [...found]])) };
}

// The prefixes that tools write before lines: `12→`, `12:`, `12-`, `a.ts:12:`; and the signs of diffs.
const LINE_NUMBER = /^(?:[\w./@~-]{1,200}:)?\d{1,7}(?:→|[\t:|-])/;
const DIFF_SIGN = /^[+-](?![+-])/;
// The labels that a condenser may write before a quoted line: `- `, `> `, `[m12] `, `m12: `.
const LABEL = /^(?:[-*>•]\s|\[[^\]\n]{1,60}\]|[\w.#-]{1,40}[:|]\s)/;

/** The forms of a source line: as it is, without a line number, and without the sign of a diff; all trimmed. */
export function sourceForms(line: string): readonly string[] {
  const forms = [line.trim()];
  addStripped(forms, LINE_NUMBER);
  addStripped(forms, DIFF_SIGN);
  return forms;
}

/** The source lines that a line of a view may quote: its {@link sourceForms} without up to two labels. */
export function viewForms(line: string): readonly string[] {
  const forms = [line.trim()];
  addStripped(forms, LABEL);
  addStripped(forms, LABEL);
  addStripped(forms, LINE_NUMBER);
  addStripped(forms, DIFF_SIGN);
  return forms;
}

function addStripped(forms: string[], prefix: RegExp): void {
  const shortest = forms.at(-1) ?? "";
  const stripped = shortest.replace(prefix, "");
  if (stripped.length < shortest.length) forms.push(stripped.trim());
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Whether a line has a letter or a digit. */
export function hasWords(line: string): boolean {
  return WORD_CHARACTER.test(line);
}

/** Whether a line has no words but the identifier, apart from line numbers, signs, bullets and brackets. */
export function isBare(line: string, identifier: string): boolean {
  const shortest = sourceForms(line).at(-1) ?? "";
  return !hasWords(shortest.replaceAll(identifier, " "));
}
