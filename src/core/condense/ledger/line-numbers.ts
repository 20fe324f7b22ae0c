/** How tools number the lines of a file: `12→`, `12|`, `12: `, `12. ` and `12` with a tab. */
const NUMBERED = /^\s{0,12}(\d{1,7})(?:→|\||\t|[:.] )/;

/** Fewer lines could be numbered by chance. */
const LEAST_LINES = 3;
/** What a tool adds above and below a file is not numbered. */
const LEAST_SHARE = 0.7;

/**
 * Takes the numbers off the lines of a file as tools show it: they cost a fifth of its tokens, edits do not repeat them, and the
 * next edit makes them wrong. Lines of any other text stay as they are.
 */
export function withoutLineNumbers(lines: readonly string[]): readonly string[] {
  return isNumbered(lines) ? lines.map((line) => line.replace(NUMBERED, "")) : lines;
}

function isNumbered(lines: readonly string[]): boolean {
  let following = 0;
  let previous: number | undefined;
  for (const line of lines) {
    const number = NUMBERED.exec(line)?.[1];
    if (number === undefined) continue;
    if (previous === undefined || Number(number) === previous + 1) following += 1;
    previous = Number(number);
  }
  return following >= LEAST_LINES && following >= LEAST_SHARE * lines.length;
}
