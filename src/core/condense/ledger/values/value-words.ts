import type { LogBlock } from "../log-blocks.ts";
import type { SourceLine } from "../source-lines.ts";
import type { AddValue } from "./line-values.ts";
import { LINE_WORTH } from "./line-worth.ts";

const LAST_TEXTS = 3;
const MAX_LAST_LINES = 12;

const DECISION =
  /\b(?:decided?|decision|chose|chosen|instead of|rather than|root cause|because|turns out|the (?:fix|problem|issue|bug|cause) (?:is|was)|will use|going with|agreed|must not|confirmed|found (?:it|that|the))\b/i;

/** Where words say how things stand: the agent's last ones, its decisions, and what a model summarised. */
export function valueWords(blocks: readonly LogBlock[], add: AddValue): void {
  let texts = 0;
  for (const { source, number, lines } of blocks.toReversed()) {
    if (number === undefined) for (const line of lines) add(line, LINE_WORTH.summary);
    if (source !== "assistant" || number === undefined) continue;
    if (texts < LAST_TEXTS) for (const line of lines.slice(-MAX_LAST_LINES)) add(line, LINE_WORTH.lastWords);
    texts += 1;
    for (const line of lines) if (decides(line)) add(line, LINE_WORTH.decision);
  }
}

const decidingLines = new WeakMap<SourceLine, boolean>();

function decides(line: SourceLine): boolean {
  const known = decidingLines.get(line) ?? DECISION.test(line.text);
  decidingLines.set(line, known);
  return known;
}
