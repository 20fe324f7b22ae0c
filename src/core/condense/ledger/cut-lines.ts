import { cutBefore } from "../../text/clip-cut.ts";

/** Shorter lines are brackets and rules. */
const LEAST_CHARACTERS = 2;
/** A longer line is quoted by pieces. */
const MAX_CHARACTERS = 400;
/** What lies further into one line is data that nobody quotes. */
const MAX_PIECES = 100;
/** How far back from its end a piece looks for a place between words. */
const MAX_BACK = 80;
/** The same for the end of a sentence: half a sentence tells little. */
const MAX_SENTENCE_BACK = 260;
/** The same for the end of a value in data. */
const MAX_VALUE_BACK = 300;
const MAX_INDENT = 40;

/** A line of a text, and its place in a file where the text tells it. */
export interface CutLine {
  readonly text: string;
  readonly number: number | undefined;
}

/** The lines of a text that say something, without the white space around them; code keeps its indentation. */
export function cutLines(text: string): readonly CutLine[] {
  const lines: CutLine[] = [];
  for (const { text: whole, number } of withoutLineNumbers(text.split(LINE_END))) {
    const line = whole.trim();
    if (line.length < LEAST_CHARACTERS || !WORDS.test(line) || isOurHeading(line)) continue;
    if (line.length <= MAX_CHARACTERS) lines.push({ text: indented(whole, line), number });
    else for (const piece of pieces(line)) lines.push({ text: piece, number: undefined });
  }
  return lines;
}

/** Whatever a reader might take for the end of a line: a quoted line must not look like two. */
export const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const WORDS = /[\p{L}\p{N}]/u;
const OUR_HEADING = /^\[(?:m\d|summary\b|files\b|state\b)/i;

/** A line that looks like a heading of the ledger could pass for one: it is never quoted. */
export function isOurHeading(line: string): boolean {
  return OUR_HEADING.test(line);
}

function indented(whole: string, line: string): string {
  const indent = whole.length - whole.trimStart().length;
  return indent === 0 || indent > MAX_INDENT ? line : whole.slice(0, indent) + line;
}

/** Cut between sentences, or between words, where there is a place for it, and never inside a character. */
function pieces(line: string): readonly string[] {
  const found: string[] = [];
  for (let start = 0; start < line.length && found.length < MAX_PIECES; ) {
    const end = start + MAX_CHARACTERS >= line.length ? line.length : cutAt(line, start + MAX_CHARACTERS);
    const piece = line.slice(start, end).trim();
    if (piece.length >= LEAST_CHARACTERS && !isOurHeading(piece)) found.push(piece);
    start = end;
  }
  return found;
}

const SENTENCE_ENDS = ".!?";
/** Data is cut between its values. */
const DATA = /^\s{0,40}[[{]/;

function cutAt(line: string, end: number): number {
  for (let at = end; at > end - MAX_SENTENCE_BACK && !DATA.test(line); at--) {
    if (line.charAt(at) === " " && SENTENCE_ENDS.includes(line.charAt(at - 1))) return at;
  }
  const value = DATA.test(line) ? line.lastIndexOf(',"', end) : -1;
  if (value > end - MAX_VALUE_BACK) return value + 1;
  const space = line.lastIndexOf(" ", end);
  return space > end - MAX_BACK ? space : cutBefore(line, end);
}

/** How tools number the lines of a file: `12→`, `12|`, `12: `, `12. ` and `12` with a tab. */
const NUMBERED = /^\s{0,12}(\d{1,7})(?:→|\||\t|[:.] )/;

/** Fewer lines could be numbered by chance. */
const LEAST_LINES = 3;
/** What a tool adds above and below a file is not numbered. */
const LEAST_SHARE = 0.7;

/**
 * Takes the numbers off the lines of a file as tools show it: they cost a fifth of its tokens, and edits do not repeat them. A ledger
 * tells them once for lines that stand together. Lines of any other text stay as they are.
 */
function withoutLineNumbers(lines: readonly string[]): readonly CutLine[] {
  if (!isNumbered(lines)) return lines.map((text) => ({ text, number: undefined }));
  return lines.map((line) => {
    const [prefix = "", number] = NUMBERED.exec(line) ?? [];
    return { text: line.slice(prefix.length), number: number === undefined ? undefined : Number(number) };
  });
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
