import { FILE_EXTENSIONS, FILES_WITHOUT_EXTENSION, SYSTEM_ERRORS } from "./identifier-words.ts";
import type { Word } from "./words.ts";

/** `constant` is anything in UPPER_SNAKE, environment variables above all; versions are numbers, packages are symbols. */
export type IdentifierKind = "path" | "url" | "symbol" | "hash" | "number" | "flag" | "constant" | "error-code";

/** The kind of identifier that a word is by its form; undefined for ordinary words. */
export function identifierKind(word: Word): IdentifierKind | undefined {
  const { value, isCalled, isFolder } = word;
  if (FILES_WITHOUT_EXTENSION.has(value)) return "path";
  // Most words of most texts are plain.
  if (!isCalled && !isFolder && PLAIN_WORD.test(value)) return undefined;
  if (URL_FORM.test(value)) return "url";
  if (value.startsWith("--")) return "flag";
  if (isPath(word)) return "path";
  if (SYSTEM_ERRORS.has(value) || ERROR_CODE.test(value)) return "error-code";
  if (CONSTANT.test(value)) return "constant";
  if (UUID.test(value) || (HEXADECIMAL.test(value) && DIGIT.test(value) && HEX_LETTER.test(value))) return "hash";
  if (isNumber(value)) return "number";
  return isSymbol(word) ? "symbol" : undefined;
}

// Each pattern decides by the next character, so that none backtracks.
const PLAIN_WORD = /^[A-Za-z]?[a-z]*$/;
const DIGIT = /\d/;
const LETTER = /[A-Za-z\u00c0-\u052f]/;
const URL_FORM = /^[a-z][a-z0-9+]+:\/\/\w/;
const ERROR_CODE = /^(?:[A-Z]{1,6}-?\d{3,6}|ERR(?:OR)?_[A-Z0-9_]+)$/;
const CONSTANT = /^_*[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+_*$/;
const HEXADECIMAL = /^(?:0x)?(?:[0-9a-f]{7,}|[0-9A-F]{7,})$/;
const HEX_LETTER = /[a-f]/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const ROOTED = /^(?:[/~]|\.\.\/|@\/|[A-Za-z]:\/)/;
const DOT_FILE = /^\.[a-z]/;
const DISTINCTIVE_SEGMENT = /[\d_.-]|[a-z][A-Z]/;

function isPath({ value, isFolder }: Word): boolean {
  if (!LETTER.test(value)) return false;
  if (!value.includes("/")) return isFolder || DOT_FILE.test(value) || isFileName(value);
  const segments = value.split("/").filter((segment) => segment !== "");
  const last = segments.at(-1) ?? "";
  if (ROOTED.test(value) || isFolder || isFileName(last)) return true;
  if (value.startsWith("@")) return false;
  // Two plain words around a slash are prose: and/or, client/server.
  return segments.length >= 3 || segments.some((segment) => DISTINCTIVE_SEGMENT.test(segment));
}

/** Whether a path ends with the name of a file. Otherwise it may be a folder, or no path at all. */
export function endsAsFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return FILES_WITHOUT_EXTENSION.has(name) || DOT_FILE.test(name) || isFileName(name);
}

function isFileName(name: string): boolean {
  const dot = name.lastIndexOf(".");
  // `x.h` and `p.c` are more often members than files.
  return dot > 0 && name.length > 3 && FILE_EXTENSIONS.has(name.slice(dot + 1).toLowerCase());
}

const ISSUE = /^#\d+$/;
const VERSION = /^v?\d+\.\d+\.\d+(?:[-.]\w+)*$/;
const FIGURE = /^\d[\d_.-]*$/;
const FOUR_DIGITS = /\d{4}/;

function isNumber(value: string): boolean {
  return (
    ISSUE.test(value) || VERSION.test(value) || (FIGURE.test(value) && FOUR_DIGITS.test(value.replaceAll("_", "")))
  );
}

const NAME = /^[A-Za-z_\u00c0-\u052f][\w\u00c0-\u052f]+$/;
const LETTERS_OR_MORE = /^[A-Za-z_\u00c0-\u052f][\w\u00c0-\u052f]*$/;
const LEAST_MEMBER_CHARACTERS = 3;
const HUMP = /[a-z\d][A-Z]|[A-Z][A-Z][a-z][a-z]/;
const KEBAB = /^[A-Za-z][\w.]*(?:-[\w.]+)+$/;
const AT_VERSION_OR_HOST = /^[\w.-]+@[\w.-]+$/;
const PARTS = /::|[.#]/;

function isSymbol({ value, isCalled }: Word): boolean {
  if (!LETTER.test(value)) return false;
  if (NAME.test(value)) return (isCalled && value.length > 2) || value.includes("_") || HUMP.test(value);
  if (value.startsWith("@") || AT_VERSION_OR_HOST.test(value)) return true;
  if (KEBAB.test(value)) return DIGIT.test(value);
  const parts = value.split(PARTS);
  if (parts.length < 2 || !parts.every((part) => LETTERS_OR_MORE.test(part))) return false;
  // `t.Fatalf` and `s.close` are members of something with a short name; `e.g` and `a.m` are prose.
  return parts.every((part) => part.length > 1) || parts.some((part) => part.length >= LEAST_MEMBER_CHARACTERS);
}
