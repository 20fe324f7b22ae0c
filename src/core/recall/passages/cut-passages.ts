import { cutBefore } from "../../text/clip-cut.ts";

/** A stretch of whole lines, without the line end of the last one: `text.slice(start, end)`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** The lines it covers, counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

// Characters are weighed in quarters of a token: exact counts would take longer than the rest of indexing.
const TOKEN_WEIGHT = 4;
/** From here on a passage ends at the next blank line. */
const ENOUGH_WEIGHT = 60 * TOKEN_WEIGHT;
const MAX_WEIGHT = 120 * TOKEN_WEIGHT;
/** A said text up to this weight is one passage, as a part of it would say only a part of what was meant. */
const MAX_WHOLE_WEIGHT = 160 * TOKEN_WEIGHT;

const LINE_FEED = 0x0a;
const FIRST_NON_ASCII = 0x80;
const FIRST_IDEOGRAPH = 0x2e80;
/** Characters after which a long line is cut, and the share of a piece that may be given up to cut there. */
const BREAKS = " \t\r,;:{}()[]<>|\"'";
const BREAK_SHARE = 0.25;

export interface CutOptions {
  /** Whether the text was said, so that a short one stays whole. @default false */
  readonly isProse?: boolean;
}

/** Cuts a text into passages of about 60 to 120 tokens, at a blank line where there is one in that range. */
export function cutPassages(text: string, { isProse = false }: CutOptions = {}): readonly Stretch[] {
  const whole = isProse ? wholeText(text) : undefined;
  if (whole !== undefined) return [whole];
  const stretches: Stretch[] = [];
  let start = 0;
  let firstLine = 1;
  let weight = 0;
  const close = (end: number, lastLine: number) => {
    if (weight > 0) stretches.push({ start, end: withoutLineEnd(text, start, end), firstLine, lastLine });
    weight = 0;
  };
  for (let lineStart = 0, line = 1; lineStart < text.length; line++) {
    const { end, weight: lineWeight, isBlank } = measureLine(text, lineStart);
    if (weight + lineWeight > MAX_WEIGHT || (isBlank && weight >= ENOUGH_WEIGHT)) close(lineStart, line - 1);
    if (lineWeight > MAX_WEIGHT) {
      stretches.push(...cutLine(text, { start: lineStart, end, firstLine: line, lastLine: line }));
    } else if (weight > 0 || !isBlank) {
      if (weight === 0) [start, firstLine] = [lineStart, line];
      weight += lineWeight;
    }
    lineStart = end;
    if (end >= text.length) close(end, line);
  }
  return stretches;
}

/** The text as one passage, without blank lines around it; undefined where it is too long for one, or blank. */
function wholeText(text: string): Stretch | undefined {
  // No character weighs less than a letter does.
  if (text.length > MAX_WHOLE_WEIGHT) return undefined;
  let weight = 0;
  let first: Stretch | undefined;
  for (let lineStart = 0, line = 1; lineStart < text.length; line++) {
    const { end, weight: lineWeight, isBlank } = measureLine(text, lineStart);
    weight += lineWeight;
    if (weight > MAX_WHOLE_WEIGHT) return undefined;
    if (!isBlank)
      first = { start: first?.start ?? lineStart, end, firstLine: first?.firstLine ?? line, lastLine: line };
    lineStart = end;
  }
  return first === undefined ? undefined : { ...first, end: withoutLineEnd(text, first.start, first.end) };
}

interface MeasuredLine {
  /** After its line end. */
  readonly end: number;
  readonly weight: number;
  readonly isBlank: boolean;
}

function measureLine(text: string, start: number): MeasuredLine {
  let weight = 0;
  let isBlank = true;
  let end = start;
  while (end < text.length) {
    const unit = text.charCodeAt(end++);
    if (unit > 0x20) isBlank = false;
    weight += weightOf(unit);
    if (unit === LINE_FEED) break;
  }
  return { end, weight, isBlank };
}

// Letters and blanks join into long tokens, digits and signs into short ones.
const ASCII_WEIGHTS = Uint8Array.from({ length: FIRST_NON_ASCII }, (_, unit) =>
  /[A-Za-z\s]/.test(String.fromCharCode(unit)) ? 1 : 2,
);

function weightOf(unit: number): number {
  if (unit < FIRST_NON_ASCII) return ASCII_WEIGHTS[unit] ?? 1;
  return unit < FIRST_IDEOGRAPH ? 2 : TOKEN_WEIGHT;
}

function* cutLine(text: string, line: Stretch): Generator<Stretch> {
  for (let start = line.start; start < line.end; ) {
    const end = pieceEnd(text, start, line.end);
    yield { ...line, start, end: withoutLineEnd(text, start, end) };
    start = end;
  }
}

function pieceEnd(text: string, start: number, lineEnd: number): number {
  let weight = 0;
  let end = start;
  while (end < lineEnd && weight < MAX_WEIGHT) weight += weightOf(text.charCodeAt(end++));
  if (end >= lineEnd) return lineEnd;
  const natural = naturalEnd(text, start, end);
  if (natural > start) return natural;
  const least = end - Math.floor((end - start) * BREAK_SHARE);
  for (let cut = end; cut > least; cut--) if (BREAKS.includes(text.charAt(cut - 1))) return cutBefore(text, cut);
  return cutBefore(text, end);
}

/** The share of a piece that may be given up to cut after a sentence: more than for a word. */
const SENTENCE_SHARE = 0.4;

/** The offset after the last sentence, or the last line of text in JSON, that ends in the last part of the piece; `start` where none does. */
function naturalEnd(text: string, start: number, end: number): number {
  const least = end - Math.floor((end - start) * SENTENCE_SHARE);
  for (let cut = end; cut > least; cut--) {
    const [before, last] = [text.charAt(cut - 2), text.charAt(cut - 1)];
    // Agents give what a command printed as JSON: its line ends are escapes there, and a line must not lose its end.
    if (last === " " ? ".!?".includes(before) : last === "n" && before === "\\") return cut;
  }
  return start;
}

function withoutLineEnd(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && "\r\n".includes(text.charAt(trimmed - 1))) trimmed--;
  return trimmed;
}
