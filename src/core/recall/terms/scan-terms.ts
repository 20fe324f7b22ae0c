import {
  classOf,
  DIGIT,
  foldOf,
  JOINER,
  LOWER,
  MARK,
  SEPARATOR,
  UNSPACED,
  UNSPACED_PAIR,
  UPPER,
} from "./character-table.ts";
import { type IdentifierRun, splitIdentifier } from "./split-identifier.ts";
import { stemEnd } from "./stem.ts";

/**
 * `word`: a plain word, stemmed. `identifier`: a name as it is, or a name inside it. `part`: a word of an identifier,
 * stemmed.
 */
export type TermRole = "word" | "identifier" | "part";

/** The current term, in `units[start…end)`. The object is reused: it is only valid during the call of the sink. */
export interface TermCursor {
  readonly units: Uint16Array;
  start: number;
  end: number;
  role: TermRole;
}

export type TermSink = (term: TermCursor) => void;

/** Longer runs are encoded data or minified code, which nobody searches for. */
const MAX_RUN_UNITS = 256;

const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SLASH = 0x2f;
const ESCAPE_LETTERS = "nrt";

const units = new Uint16Array(MAX_RUN_UNITS);
const kinds = /* @__PURE__ */ new Uint8Array(MAX_RUN_UNITS);
const cursor: TermCursor = { units, start: 0, end: 0, role: "word" };
// Reused, as one per run would keep the garbage collector busy.
const run: IdentifierRun = { units, kinds, cursor, length: 0, sink: () => {} };

/** Calls `sink` with every term of `text`, in order, in linear time. */
export function scanTerms(text: string, sink: TermSink): void {
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    switch (classOf(unit)) {
      case UNSPACED:
      case UNSPACED_PAIR:
        at = scanUnspaced(text, at, sink);
        break;
      case UPPER:
      case LOWER:
      case DIGIT:
        at = isDrive(text, at) ? scanRun(text, at + 2, sink) : scanRun(text, at, sink);
        break;
      default:
        at += unit === BACKSLASH ? escapeLength(text, at) : 1;
    }
  }
}

function isDrive(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === COLON && text.charCodeAt(at + 2) === BACKSLASH;
}

/** The length of an escape in JSON: its letter is no part of the word that follows. */
function escapeLength(text: string, at: number): number {
  return ESCAPE_LETTERS.includes(text.charAt(at + 1) || " ") ? 2 : 1;
}

/** Scans one identifier or word, and returns where it ends. Backslashes are joiners where the run begins with one. */
function scanRun(text: string, start: number, sink: TermSink): number {
  const isDrivePath = text.charCodeAt(start) === BACKSLASH;
  let length = 0;
  let previous = SEPARATOR;
  let seen = 0;
  for (let at = start; at < text.length; at++) {
    const given = text.charCodeAt(at);
    const unit = isDrivePath && given === BACKSLASH ? SLASH : given;
    const kind = classOf(unit);
    if (endsRun(kind)) {
      emitRun(length, seen, sink);
      return at;
    }
    if (kind === MARK) continue;
    // Repeated joiners count once: `a--b` is `a-b`, and a line of dashes is no long name.
    if (kind === JOINER && (length === 0 || units[length - 1] === foldOf(unit))) continue;
    if (length === MAX_RUN_UNITS) return endOfRun(text, at);
    units[length] = foldOf(unit);
    kinds[length] = kind;
    // Joiners at the end are punctuation; a capital at the start is just a capital.
    if (previous === JOINER && kind !== JOINER) seen |= HAS_JOINER;
    if (kind !== JOINER && (length > 0 || kind !== UPPER)) seen |= 1 << kind;
    previous = kind;
    length++;
  }
  emitRun(length, seen, sink);
  return text.length;
}

function endsRun(kind: number): boolean {
  return kind === SEPARATOR || kind === UNSPACED || kind === UNSPACED_PAIR;
}

function endOfRun(text: string, start: number): number {
  let at = start;
  while (at < text.length && !endsRun(classOf(text.charCodeAt(at)))) at++;
  return at;
}

function trimmedLength(length: number): number {
  let end = length;
  while (end > 0 && kinds[end - 1] === JOINER) end--;
  return end;
}

const HAS_LOWER = 1 << LOWER;
const HAS_UPPER = 1 << UPPER;
const HAS_JOINER = 1 << JOINER;
const HAS_DIGIT = 1 << DIGIT;

function emitRun(untrimmed: number, seen: number, sink: TermSink): void {
  const length = trimmedLength(untrimmed);
  const isOneCase = (seen & (HAS_LOWER | HAS_UPPER)) !== (HAS_LOWER | HAS_UPPER);
  const isLetters = (seen & (HAS_JOINER | HAS_DIGIT)) === 0;
  if (isLetters && isOneCase) {
    emit(stemEnd(units, 0, length), sink);
    return;
  }
  run.length = length;
  run.sink = sink;
  splitIdentifier(run);
}

function emit(end: number, sink: TermSink): void {
  if (end < 2) return;
  cursor.start = 0;
  cursor.end = end;
  cursor.role = "word";
  sink(cursor);
}

/** Scans a run of a script without spaces: its terms are the pairs of neighbouring characters, or a single character by itself. */
function scanUnspaced(text: string, start: number, sink: TermSink): number {
  cursor.role = "word";
  cursor.start = 0;
  let previousUnits = 0;
  let characters = 0;
  let at = start;
  while (at < text.length) {
    const kind = classOf(text.charCodeAt(at));
    if (kind !== UNSPACED && kind !== UNSPACED_PAIR) break;
    const ownUnits = kind === UNSPACED_PAIR && at + 1 < text.length ? 2 : 1;
    units[previousUnits] = kind === UNSPACED ? foldOf(text.charCodeAt(at)) : text.charCodeAt(at);
    if (ownUnits === 2) units[previousUnits + 1] = text.charCodeAt(at + 1);
    cursor.end = previousUnits + ownUnits;
    if (characters > 0) sink(cursor);
    units[0] = units[previousUnits] ?? 0;
    units[1] = units[previousUnits + 1] ?? 0;
    previousUnits = ownUnits;
    characters++;
    at += ownUnits;
  }
  cursor.end = previousUnits;
  if (characters === 1) sink(cursor);
  return at;
}
