import { trimName } from "./trim-name.ts";
import { findUrl } from "./url.ts";

/** A word of a text, with its form, which follows from the characters around it. */
export interface Name {
  readonly value: string;
  /** `call`: before empty brackets. `code-span`: alone between backticks. `folder`: before a slash. */
  readonly form: "plain" | "call" | "code-span" | "folder" | "url";
}

/** Longer words are encoded data, which nobody writes again. */
const MAX_NAME_CHARACTERS = 200;

/**
 * All names of a text in order, ordinary words included. Reads each character a bounded number of times. The evals have this scanner of
 * their own, which shares nothing with that of the ledger, so that neither hides the other's mistakes.
 */
export function* scanNames(text: string): Generator<Name> {
  let at = 0;
  let span: CodeSpan | undefined;
  while (at < text.length) {
    if (isRunUnit(text, at)) {
      const run = readRun(text, at, span);
      yield* run.names;
      at = run.end;
      continue;
    }
    if (text[at] === "`" && at !== span?.end) {
      span = codeSpanAt(text, at);
      if (span?.uncasedName !== undefined) {
        yield { value: span.uncasedName, form: "code-span" };
        at = span.end;
      }
    }
    at += skippedCharacters(text, at);
  }
}

interface Run {
  readonly names: readonly Name[];
  readonly end: number;
}

function readRun(text: string, start: number, span: CodeSpan | undefined): Run {
  if (DRIVE.test(text.slice(start, start + 4))) return readDrivePath(text, start);
  let end = start;
  while (end < text.length && isRunUnit(text, end)) end++;
  const url = findUrl(text, start, end);
  if (url !== undefined) {
    const before = readPieces(text, { start, end: url.start });
    return { names: url.value === undefined ? before : [...before, { value: url.value, form: "url" }], end: url.end };
  }
  const names = readPieces(text, { start, end });
  const [only] = names;
  const isSpan = span !== undefined && span.start + 1 === start && span.end === end;
  return { names: isSpan && names.length === 1 && only !== undefined ? [inSpan(only)] : names, end };
}

function inSpan(name: Name): Name {
  return name.form === "plain" ? { value: name.value, form: "code-span" } : name;
}

// A backslash alone, or two in JSON.
const DRIVE = /^[A-Za-z]:\\/;

/** Reads a path such as `C:\a\b`, and writes it with slashes. */
function readDrivePath(text: string, start: number): Run {
  let end = start;
  while (end < text.length && (isRunUnit(text, end) || text[end] === "\\")) {
    // A line number follows another colon.
    if (text[end] === ":" && end > start + 1) break;
    end++;
  }
  if (end - start > MAX_NAME_CHARACTERS) return { names: [], end };
  const value = trimName(text.slice(start, end).replaceAll("\\", "/")).value.replace(/\/{2,8}/g, "/");
  return { names: value.length < 2 ? [] : [{ value, form: "plain" }], end };
}

interface Piece {
  readonly start: number;
  readonly end: number;
}

/** The names in a run. It is split at colons, which separate a name from a line number or a key from its value, and at the @ before a version or a host. */
function readPieces(text: string, { start, end }: Piece): readonly Name[] {
  const names: Name[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && !isCut(text, at, from)) continue;
    const name = readPiece(text, { start: from, end: at });
    if (name !== undefined) names.push(name);
    from = at + 1;
  }
  return names;
}

function isCut(text: string, at: number, from: number): boolean {
  if (text[at] === "@") return at > from;
  if (text[at] !== ":") return false;
  if (text[at + 1] === ":" || text[at - 1] === ":") return false;
  return !(at === from + 1 && text[at + 1] === "/" && isNameUnit(text, from));
}

function readPiece(text: string, { start, end }: Piece): Name | undefined {
  if (end - start > MAX_NAME_CHARACTERS) return undefined;
  const piece = text.slice(start, end);
  const { value, isFolder } = trimName(piece, { before: text[start - 1], after: text[end] });
  if (value.length < 2) return undefined;
  if (isFolder) return { value, form: "folder" };
  return { value, form: text.startsWith("()", end) ? "call" : "plain" };
}

/** How many characters to skip: one, or two for an escape such as `\n`, whose letter is no part of the name behind it. */
function skippedCharacters(text: string, at: number): number {
  return text[at] === "\\" && "nrtb".includes(text[at + 1] ?? "-") ? 2 : 1;
}

/** A piece of text between backticks, without spaces. */
interface CodeSpan {
  /** The index of the opening backtick. */
  readonly start: number;
  /** The index of the closing backtick. */
  readonly end: number;
  /** Its content, if that is a name in a script without capitals: only the backticks tell where such a name ends. */
  readonly uncasedName?: string;
}

const MAX_SPAN_CHARACTERS = 80;

/** The code span that the backtick at `start` opens; undefined where no backtick follows in the same word. */
function codeSpanAt(text: string, start: number): CodeSpan | undefined {
  const last = Math.min(text.length, start + 1 + MAX_SPAN_CHARACTERS);
  for (let end = start + 1; end <= last; end++) {
    const character = text.charAt(end);
    if (character.trim() === "") return undefined;
    if (character === "`") return describeSpan(text, start, end);
  }
  return undefined;
}

const UNCASED_LETTER = /\p{Lo}/u;
const WHOLE_NAME = /^[\p{L}\p{M}\p{N}_./-]+$/u;

function describeSpan(text: string, start: number, end: number): CodeSpan {
  const content = text.slice(start + 1, end);
  const isUncased = UNCASED_LETTER.test(content) && WHOLE_NAME.test(content);
  return isUncased ? { start, end, uncasedName: content } : { start, end };
}

const NONE = 0;
const NAME = 1;
const JOINER = 2;

/** For each ASCII character, whether it is part of a name, joins two names, or ends a name. */
const ROLES: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/\w/.test(character)) return NAME;
  return "-./:@~".includes(character) ? JOINER : NONE;
});

/** Whether a character is a letter, a digit or an underscore. Of the letters beyond ASCII, only those of scripts with capitals count: others are written without spaces, or with endings on the name. */
function isNameUnit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 128) return ROLES[unit] === NAME;
  return isCasedUnit(unit);
}

/** Whether a character may be in a run: in a name, or between two names. */
function isRunUnit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 128) return ROLES[unit] !== NONE;
  return isCasedUnit(unit);
}

function isCasedUnit(unit: number): boolean {
  // Combining accents, which macOS uses in file names.
  if (unit >= 0x300 && unit < 0x370) return true;
  const character = String.fromCharCode(unit);
  return character.toLowerCase() !== character.toUpperCase();
}
