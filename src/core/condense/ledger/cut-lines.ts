import { cutBefore } from "../../text/clip-cut.ts";

/** Shorter lines are brackets and the like. */
const LEAST_CHARACTERS = 2;
/** A longer line is cut into pieces. */
const MAX_CHARACTERS = 400;
/** The rest of a line with more pieces is data that nobody quotes. */
const MAX_PIECES = 100;
/** How far before the end of a piece it may be cut between words. */
const MAX_BACK = 80;
/** How far before the end it may be cut after a sentence: half a sentence says little. */
const MAX_SENTENCE_BACK = 260;
/** How far before the end it may be cut between values of data. */
const MAX_VALUE_BACK = 300;
const MAX_INDENT = 40;

/** A line of a text, and its line number where the text shows one. */
export interface CutLine {
  readonly text: string;
  readonly number: number | undefined;
}

/** The lines of a text that hold words, trimmed; indentation is kept. */
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

/** Everything that a reader might take for a line end: a quoted line must not look like two. */
export const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const WORDS = /[\p{L}\p{N}]/u;
/** Colour codes of terminals may come before a heading; their escape character is invisible. */
const OUR_HEADING = /^(?:\[[\d;]{0,12}m){0,4}\[(?:m\d|summary\b|files\b|state\b)/i;

/** Invisible characters. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;
const PLAIN = /^[ -~]*$/;

/** Whether a line looks like a heading of a ledger: it is then never quoted, as it could pass for one. */
export function isOurHeading(line: string): boolean {
  return OUR_HEADING.test(PLAIN.test(line) ? line : asSeen(line));
}

function asSeen(line: string): string {
  return line.replace(UNSEEN, "").normalize("NFKC").trimStart();
}

function indented(whole: string, line: string): string {
  const indent = whole.length - whole.trimStart().length;
  return indent === 0 || indent > MAX_INDENT ? line : whole.slice(0, indent) + line;
}

/** The pieces of a long line, cut after sentences or between words where possible, and never inside a character. */
function pieces(line: string): readonly string[] {
  const cut: string[] = [];
  for (let start = 0; start < line.length && cut.length < MAX_PIECES; ) {
    const end = start + MAX_CHARACTERS >= line.length ? line.length : cutAt(line, start + MAX_CHARACTERS);
    const piece = line.slice(start, end).trim();
    if (piece.length >= LEAST_CHARACTERS && !isOurHeading(piece)) cut.push(piece);
    start = end;
  }
  return cut;
}

const SENTENCE_ENDS = ".!?";
/** A line of data, which is cut between values. */
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

/** Fewer consecutive numbers could be there by chance. */
const LEAST_LINES = 3;
/** The share of lines that must be numbered: lines that a tool adds around a file are not. */
const LEAST_SHARE = 0.7;

/**
 * Separates line numbers from the lines of a file as tools show it: they cost a fifth of its tokens, and edits do not repeat them. A ledger
 * writes one number for lines that follow each other. Lines of any other text are returned as they are.
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
