import { scanNames } from "../identifiers/scan-names.ts";
import { isBare, type SourceLines, viewForms } from "./source-lines.ts";

/** The questions that a view is asked. */
export interface Questions {
  readonly source: SourceLines;
  readonly identifiers: ReadonlySet<string>;
  /** Lines of later edits' old text. */
  readonly editLines: ReadonlySet<string>;
}

/** The questions that a view answers. */
export interface Answers {
  /** The identifiers that it shows. */
  readonly shown: ReadonlySet<string>;
  /** The identifiers that it shows inside a verbatim source line. */
  readonly carried: ReadonlySet<string>;
  readonly editLines: ReadonlySet<string>;
}

/** Finds the answers in the lines of a view. */
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

/** The needed identifiers in a line, each once. */
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

/** Whether one of the forms is a whole source line. A line that is only the identifier does not count, even where the source has such a line. */
function isWholeLine(forms: readonly string[], identifier: string, { lines }: SourceLines): boolean {
  return forms.some((form) => form.includes(identifier) && lines.has(form) && !isBare(form, identifier));
}

/** How many characters of a source line must surround an identifier, where the view does not show the whole line. */
export const MIN_CONTEXT_CHARACTERS = 40;

// Beyond so many contexts of an identifier, further ones differ in numbers only.
const MAX_CONTEXTS = 1_000;

/** The text around one occurrence of an identifier, up to the least context. */
interface Context {
  readonly before: string;
  readonly after: string;
}

/**
 * Whether one of `shown` repeats one of `sources` word for word around the identifier: at least 40 characters of the same
 * source line besides the identifier itself, without a gap.
 */
function sharesContext(identifier: string, shown: readonly string[], sources: readonly string[]): boolean {
  const shownContexts = contextsIn(shown, identifier);
  if (shownContexts.length === 0) return false;
  const sourceContexts = contextsIn(sources, identifier);
  return shownContexts.some((one) =>
    sourceContexts.some((other) => sharedCharacters(one, other) >= MIN_CONTEXT_CHARACTERS),
  );
}

function contextsIn(lines: readonly string[], identifier: string): readonly Context[] {
  const contexts = new Map<string, Context>();
  for (const line of lines) {
    if (line.length < identifier.length + MIN_CONTEXT_CHARACTERS) continue;
    for (let at = line.indexOf(identifier); at >= 0; at = line.indexOf(identifier, at + identifier.length)) {
      const before = line.slice(Math.max(0, at - MIN_CONTEXT_CHARACTERS), at);
      const after = line.slice(at + identifier.length, at + identifier.length + MIN_CONTEXT_CHARACTERS);
      contexts.set(`${before}\n${after}`, { before, after });
      if (contexts.size >= MAX_CONTEXTS) return [...contexts.values()];
    }
  }
  return [...contexts.values()];
}

function sharedCharacters(one: Context, other: Context): number {
  let before = 0;
  while (before < one.before.length && one.before.at(-1 - before) === other.before.at(-1 - before)) before++;
  let after = 0;
  while (after < one.after.length && one.after[after] === other.after[after]) after++;
  return before + after;
}
