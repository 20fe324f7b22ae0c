/** What tools put before a line: `12→`, `12:`, `a.ts:12:`; and the signs of diffs. */
const LINE_NUMBER = /^\s*(?:[\w./@~-]{1,200}:)?\d{1,7}(?:→|[\t:|-])/;
const DIFF_SIGN = /^\s*[+-](?![+-])/;

/** The line without what tools put before lines: equal for lines that say the same. */
export function keyOf(line: string): string {
  return line.replace(LINE_NUMBER, "").replace(DIFF_SIGN, "").trim();
}
