import { parseJson } from "../../json/parse-json.ts";

/** One item of an array or one entry of an object, as offsets in the source. */
export interface JsonEntry {
  /** Where the key starts; where the value does in an array. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** The direct entries of one array or object. */
export interface JsonEntries {
  readonly total: number;
  /** All of them or, where there are very many, as many of the first as of the last. */
  readonly listed: readonly JsonEntry[];
}

/** A valid JSON text with a cache of what was parsed: renderings of several sizes read the same places. */
export interface JsonSource {
  readonly text: string;
  /** The entries of the array or object at `start`. */
  entriesAt(start: number): JsonEntries;
  /** The value of the string literal from `start` to `end`. */
  stringAt(start: number, end: number): string;
}

export function jsonSource(text: string): JsonSource {
  const entries = new Map<number, JsonEntries>();
  const strings = new Map<number, string>();
  return {
    text,
    entriesAt: (start) => cached(entries, start, () => listEntries(text, start)),
    stringAt: (start, end) => cached(strings, start, () => String(parseJson(text.slice(start, end)))),
  };
}

function cached<Value>(cache: Map<number, Value>, key: number, make: () => Value): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = make();
  cache.set(key, value);
  return value;
}

/** Entries that are listed at each end of a container: more are never shown, and millions would fill the memory. */
const MAX_LISTED = 10_000;

function listEntries(text: string, start: number): JsonEntries {
  const isObject = text[start] === "{";
  const first: JsonEntry[] = [];
  const ring: JsonEntry[] = [];
  let total = 0;
  let position = skipSpace(text, start + 1);
  while (!isClosing(text.charCodeAt(position))) {
    const valueStart = isObject ? skipSpace(text, skipSpace(text, stringEnd(text, position)) + 1) : position;
    const end = valueEnd(text, valueStart);
    const entry = { start: position, valueStart, end };
    if (first.length < MAX_LISTED) first.push(entry);
    else ring[(total - MAX_LISTED) % MAX_LISTED] = entry;
    total++;
    position = skipSpace(text, end);
    if (text.charCodeAt(position) === COMMA) position = skipSpace(text, position + 1);
  }
  const oldest = ring.length < MAX_LISTED ? 0 : total % MAX_LISTED;
  return { total, listed: ring.length === 0 ? first : [...first, ...ring.slice(oldest), ...ring.slice(0, oldest)] };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

function valueEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === QUOTE) return stringEnd(text, start);
  return isOpening(code) ? containerEnd(text, start) : scalarEnd(text, start);
}

// By counting, not by recursion: nesting may be a million levels deep.
function containerEnd(text: string, start: number): number {
  let position = start;
  let depth = 0;
  do {
    const code = text.charCodeAt(position);
    if (isOpening(code)) depth++;
    else if (isClosing(code)) depth--;
    position = code === QUOTE ? stringEnd(text, position) : position + 1;
  } while (depth > 0);
  return position;
}

function scalarEnd(text: string, start: number): number {
  let position = start;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === COMMA || code <= SPACE || isClosing(code)) break;
    position++;
  }
  return position;
}

function stringEnd(text: string, start: number): number {
  let position = start;
  let escapes: number;
  do {
    position = text.indexOf('"', position + 1);
    escapes = 0;
    while (text.charCodeAt(position - 1 - escapes) === BACKSLASH) escapes++;
  } while (escapes % 2 === 1);
  return position + 1;
}

export function skipSpace(text: string, start: number): number {
  let position = start;
  while (text.charCodeAt(position) <= SPACE) position++;
  return position;
}

function isOpening(code: number): boolean {
  return code === OPEN_BRACKET || code === OPEN_BRACE;
}

function isClosing(code: number): boolean {
  return code === CLOSE_BRACKET || code === CLOSE_BRACE;
}
