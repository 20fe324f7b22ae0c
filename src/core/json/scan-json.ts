import { isRecord } from "./read-json.ts";

/** Finds where the tokens of valid JSON begin and end. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
const BACKSLASH = 0x5c;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** The first index from `start` on that is not white space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/**
 * The index behind the string whose opening quote or first escape is at `start`. Jumps from quote to quote, because most of a conversation
 * is long texts; a quote after an odd number of backslashes is escaped.
 */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return text.length;
}

/** The index behind the number, true, false or null at `start`. */
export function endOfPlain(text: string, start: number): number {
  let at = start;
  for (let unit = text.charCodeAt(at); unit > 0x20; unit = text.charCodeAt(++at)) {
    if (unit === COMMA || unit === CLOSE_LIST || unit === CLOSE_OBJECT) break;
  }
  return at;
}

/** Far more levels than messages have, and far fewer than exhaust the stack. */
export const MOST_NESTED_LEVELS = 500;

/** Whether lists and objects are nested so deep that a recursive walk could exhaust the stack. @default mostLevels 500 */
export function isNestedTooDeep(value: unknown, mostLevels: number = MOST_NESTED_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (mostLevels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isNestedTooDeep(item, mostLevels - 1)) return true;
  } else if (isRecord(value)) {
    for (const name in value) if (isNestedTooDeep(value[name], mostLevels - 1)) return true;
  }
  return false;
}
