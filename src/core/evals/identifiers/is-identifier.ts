import type { Name } from "./scan-names.ts";

/**
 * Whether a name identifies something: a path, a URL, a symbol, a hash, a number of four digits or more, a flag, or a word that its
 * writer marked as a name by backticks or by the brackets of a call.
 */
export function isIdentifier({ value, form }: Name): boolean {
  if (form === "url") return true;
  if (!HAS_LETTER.test(value)) return isLongNumber(value);
  // The scanner keeps dashes and dots at the start of flags and dot files only.
  if (form === "folder" || value.startsWith("--") || value.startsWith(".")) return true;
  if (form === "call" || form === "code-span") return value.length >= MIN_MARKED_CHARACTERS;
  if (PLAIN_WORD.test(value)) return false;
  if (VERSION.test(value)) return isLongNumber(value);
  if (value.includes("/")) return isPath(value);
  return isHash(value) || isSymbol(value);
}

const MIN_MARKED_CHARACTERS = 3;
const MIN_DIGITS = 4;

const HAS_LETTER = /\p{L}/u;
/** Most words of most texts: `word`, `Word`, `WORD` and `WORDs`. */
const PLAIN_WORD = /^(?:[\p{Ll}\p{Lu}]\p{Ll}*|\p{Lu}+s?)$/u;
const VERSION = /^v?\d+(?:\.\d+)+$/;

function isLongNumber(value: string): boolean {
  let digits = 0;
  for (let at = 0; at < value.length; at++) if (isDigit(value.charCodeAt(at))) digits++;
  return digits >= MIN_DIGITS;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Whether a name with slashes is a path: it is rooted, has three segments, or one that is no plain word. `and/or` and `client/server` are prose. */
function isPath(value: string): boolean {
  if (ROOTED.test(value)) return true;
  const segments = value.split("/");
  return segments.length > 2 || segments.some((segment) => !PLAIN_WORD.test(segment) && HAS_LETTER.test(segment));
}

const ROOTED = /^(?:\/|~\/|\.\.\/|[A-Za-z]:\/)/;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const HEXADECIMAL = /^(?:0x)?(?:[\da-f]{7,}|[\dA-F]{7,})$/;
const HAS_DIGIT = /\d/;

function isHash(value: string): boolean {
  return UUID.test(value) || (HEXADECIMAL.test(value) && HAS_DIGIT.test(value));
}

/** Whether a name is one of code: it has a joining sign, a capital inside, or a digit. */
function isSymbol(value: string): boolean {
  return value.includes("::") || isDotted(value) || isSnake(value) || hasInnerCapital(value) || isNumbered(value);
}

const MIN_DOTTED_CHARACTERS = 5;
const DOTTED_END = /\.[\p{L}_][\p{L}\p{N}_-]*$/u;

/** Whether a name has a dot inside, as files, members and hosts have: `README.md`, `session.close`. Not `e.g`. */
function isDotted(value: string): boolean {
  return value.length >= MIN_DOTTED_CHARACTERS && DOTTED_END.test(value);
}

const INNER_UNDERSCORE = /[\p{L}\p{N}]_+[\p{L}\p{N}]/u;
const PRIVATE = /^_+\p{L}{3}/u;

function isSnake(value: string): boolean {
  return INNER_UNDERSCORE.test(value) || PRIVATE.test(value);
}

/** `openStore` and `HTTPServer`, but no plural such as `URLs`. */
const INNER_CAPITAL = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}/u;

function hasInnerCapital(value: string): boolean {
  return INNER_CAPITAL.test(value);
}

const MIN_NUMBERED_CHARACTERS = 4;
const STARTS_WITH_LETTER = /^\p{L}/u;

/** `TS2304`, `sha256` and `gpt-4o`, but no `32-bit`. */
function isNumbered(value: string): boolean {
  return value.length >= MIN_NUMBERED_CHARACTERS && STARTS_WITH_LETTER.test(value) && HAS_DIGIT.test(value);
}
