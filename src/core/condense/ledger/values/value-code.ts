import { type CodeLine, codeLines } from "../code-lines.ts";
import { EDIT_TERMS, type EditTerm, likelihood } from "../likelihoods.ts";
import type { LogBlock } from "../log-blocks.ts";
import type { AddValue } from "./line-values.ts";
import { LINE_WORTH } from "./line-worth.ts";

const LAST_TEXTS = 3;

/** Code that the next edits may replace: an edit must repeat it word for word. */
export function valueCode(blocks: readonly LogBlock[], add: AddValue): void {
  const spokenOf = lastNamed(blocks);
  for (const code of codeLines(blocks)) {
    add(code.line, LINE_WORTH.code * likelihood(EDIT_TERMS, editTerms(code, spokenOf)));
  }
}

/** What the agent named in its last texts. */
export function lastNamed(blocks: readonly LogBlock[]): ReadonlySet<string> {
  const texts = blocks.filter(({ source }) => source === "assistant").slice(-LAST_TEXTS);
  return new Set(texts.flatMap(({ lines }) => lines.flatMap(({ identifiers }) => identifiers)));
}

/** The values of the terms for one line, as they are weighed, and as they were fitted. */
export function editTerms(
  { line, block }: CodeLine,
  spokenOf: ReadonlySet<string>,
): Readonly<Record<EditTerm, number>> {
  return {
    always: 1,
    sinceShown: Math.log1p(block.age),
    lines: Math.log(block.lines.length),
    files: Math.log1p(block.act?.files.length ?? 0),
    isSpokenOf: line.identifiers.some((identifier) => spokenOf.has(identifier)) ? 1 : 0,
  };
}
