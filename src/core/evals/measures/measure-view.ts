import { scanNames } from "../identifiers/scan-names.ts";
import { sharesContext } from "./carried.ts";
import { isBare, viewForms } from "./line-forms.ts";
import type { SourceLines } from "./source-lines.ts";

/** What a view is asked for. */
export interface Questions {
  readonly source: SourceLines;
  readonly identifiers: ReadonlySet<string>;
  /** Lines of later edits' old text. */
  readonly editLines: ReadonlySet<string>;
}

/** What of it the view shows. */
export interface Answers {
  readonly shown: ReadonlySet<string>;
  /** Of those, the ones inside a verbatim source line. */
  readonly carried: ReadonlySet<string>;
  readonly editLines: ReadonlySet<string>;
}

/** Reads a view line by line, each once. */
export function measureView(lines: Iterable<string>, questions: Questions): Answers {
  const { source, identifiers, editLines } = questions;
  const shownEdits = new Set<string>();
  const carried = new Set<string>();
  /** Lines that show an identifier without being a source line as a whole. */
  const pieces = new Map<string, string[]>();
  const shown = new Set<string>();
  for (const line of lines) {
    const forms = viewForms(line);
    for (const form of forms) if (editLines.has(form)) shownEdits.add(form);
    for (const value of identifiersIn(line, identifiers)) {
      shown.add(value);
      if (carried.has(value)) continue;
      if (isWholeLine(forms, value, source)) carried.add(value);
      else addTo(pieces, value, line);
    }
  }
  for (const [value, found] of pieces) {
    if (!carried.has(value) && sharesContext(value, found, source.linesWith.get(value) ?? [])) carried.add(value);
  }
  return { shown, carried, editLines: shownEdits };
}

/** Each once, however often the line repeats it. */
function identifiersIn(line: string, identifiers: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { value } of scanNames(line)) if (identifiers.has(value)) found.add(value);
  return found;
}

function addTo(lists: Map<string, string[]>, key: string, line: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [line]);
  else list.push(line);
}

/** A line that is nothing but the identifier tells nothing about it, even where the source has such a line. */
function isWholeLine(forms: readonly string[], identifier: string, { lines }: SourceLines): boolean {
  return forms.some((form) => form.includes(identifier) && lines.has(form) && !isBare(form, identifier));
}
