import type { Pacer } from "../../core/ports/pacer.ts";
import { skipSpace } from "./item-places.ts";

/** Where a list and its items are in a body; all offsets are in bytes. */
export interface ScannedList {
  /** The offset of the opening bracket. */
  readonly openAt: number;
  /** The offset of the first item. */
  readonly start: number;
  /** The offset of the closing bracket. */
  readonly closeAt: number;
  /** The offset behind each item. */
  readonly ends: readonly number[];
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Finds the list that the field names of `path` lead to, with pauses. Returns undefined if there is no such list, or if it is empty. If a name occurs
 * twice, the first field is used, and names that are written with escapes are not recognised. The JSON is not checked: the caller must parse the
 * parts and reject a result that does not fit.
 */
export async function scanList(bytes: Buffer, path: readonly string[], pacer: Pacer): Promise<ScannedList | undefined> {
  let at: number | undefined = skipSpace(bytes, 0);
  for (const name of path) at = at === undefined ? undefined : await findField(bytes, at, { name, pacer });
  return at === undefined || bytes[at] !== OPEN_LIST ? undefined : scanItems(bytes, at, pacer);
}

async function scanItems(bytes: Buffer, openAt: number, pacer: Pacer): Promise<ScannedList | undefined> {
  const start = skipSpace(bytes, openAt + 1);
  const ends: number[] = [];
  for (let at = start; at < bytes.length && bytes[at] !== CLOSE_LIST; ) {
    const end = endOfValue(bytes, at);
    if (end === at) return undefined;
    ends.push(end);
    const behind = skipSpace(bytes, end);
    if (bytes[behind] === CLOSE_LIST) return { openAt, start, ends, closeAt: behind };
    if (bytes[behind] !== COMMA) return undefined;
    at = skipSpace(bytes, behind + 1);
    const paused = pacer.pause();
    if (paused !== undefined) await paused;
  }
  return undefined;
}

/** Returns the offset of the value of a field of the object at `open`; undefined if there is no such field. */
async function findField(
  bytes: Buffer,
  open: number,
  { name, pacer }: { readonly name: string; readonly pacer: Pacer },
): Promise<number | undefined> {
  if (bytes[open] !== OPEN_OBJECT) return undefined;
  const wanted = Buffer.from(JSON.stringify(name));
  let at = skipSpace(bytes, open + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = endOfString(bytes, at);
    const colon = skipSpace(bytes, nameEnd);
    if (bytes[colon] !== COLON) return undefined;
    const value = skipSpace(bytes, colon + 1);
    if (wanted.equals(bytes.subarray(at, nameEnd))) return value;
    const behind = skipSpace(bytes, endOfValue(bytes, value));
    if (bytes[behind] !== COMMA) return undefined;
    at = skipSpace(bytes, behind + 1);
    const paused = pacer.pause();
    if (paused !== undefined) await paused;
  }
  return undefined;
}

/** Returns the offset behind the value at `start`: the end of the bytes if the value is not closed, and `start` if there is no value. */
function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return endOfString(bytes, start);
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return endOfPlain(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      continue;
    }
    at++;
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) return at;
  }
  return bytes.length;
}

/** Returns the offset behind a number, or behind a word such as `null`. */
function endOfPlain(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && !isBehindPlain(bytes[at])) at++;
  return at;
}

function isBehindPlain(byte: number | undefined): boolean {
  if (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT) return true;
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Returns the offset behind the closing quote, which is the first quote with an even number of backslashes before it. */
function endOfString(bytes: Buffer, open: number): number {
  for (let quote = bytes.indexOf(QUOTE, open + 1); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return bytes.length;
}
