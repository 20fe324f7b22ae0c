/** The prefixes that tools write before lines: numbers such as `12→`, `12:`, `a.ts:12:`, and the signs of diffs. */
const LINE_NUMBER = /^\s*(?:[\w./@~-]{1,200}:)?\d{1,7}(?:→|[\t:|-])/;
const DIFF_SIGN = /^\s*[+-](?![+-])/;

/** A key by which lines are compared: the line without a prefix that a tool wrote before it. */
export function keyOf(line: string): string {
  return line.replace(LINE_NUMBER, "").replace(DIFF_SIGN, "").trim();
}
