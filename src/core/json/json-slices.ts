import { parseJson } from "./parse-json.ts";
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  endOfPlain,
  endOfString,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
} from "./scan-json.ts";

/** The range of a value in a text of JSON: from `start`, up to but not including `end`. */
export interface JsonSlice {
  readonly start: number;
  readonly end: number;
}

/**
 * The ranges of an object's field values, by name; where a name occurs twice, the last value, as in `JSON.parse`.
 * The text must be valid JSON; undefined where the value at `start` is no object. Linear in the length of the value.
 */
export function sliceFields(text: string, start = 0): ReadonlyMap<string, JsonSlice> | undefined {
  const fields = new Map<string, JsonSlice>();
  const isObject = walkFields(text, start, (name, valueStart) => {
    const end = endOfValue(text, valueStart);
    fields.set(name, { start: valueStart, end });
    return end;
  });
  return isObject ? fields : undefined;
}

/** The ranges of a list and of its items in a text. */
export interface ListSlices {
  readonly slice: JsonSlice;
  readonly items: readonly JsonSlice[];
}

/**
 * The ranges of the list in the field `name` of the object at `start`, found in one pass over the text: a conversation is most of a
 * body. Undefined where there is no such field, or where its value is no list. @default start 0
 */
export function sliceListField(text: string, name: string, start = 0): ListSlices | undefined {
  let found: ListSlices | undefined;
  walkFields(text, start, (fieldName, valueStart) => {
    if (fieldName !== name) return endOfValue(text, valueStart);
    found = sliceList(text, valueStart);
    return found?.slice.end ?? endOfValue(text, valueStart);
  });
  return found;
}

/** The ranges of the list at a path of field names; undefined where there is none. */
export function sliceListAt(text: string, path: readonly string[]): ListSlices | undefined {
  let start: number | undefined = 0;
  for (const name of path.slice(0, -1)) {
    start = start === undefined ? undefined : sliceFields(text, start)?.get(name)?.start;
  }
  return start === undefined ? undefined : sliceListField(text, path.at(-1) ?? "", start);
}

/**
 * Calls `skipValue` for each field of the object at `start`, with its name and the start of its value; it returns the end of the value.
 * False where there is no object at `start`.
 */
function walkFields(text: string, start: number, skipValue: (name: string, valueStart: number) => number): boolean {
  const open = skipSpace(text, start);
  if (text.charCodeAt(open) !== OPEN_OBJECT) return false;
  let at = skipSpace(text, open + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_OBJECT) {
    const nameEnd = endOfString(text, at);
    const name = parseJson(text.slice(at, nameEnd));
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    at = afterComma(text, skipValue(String(name), valueStart));
  }
  return true;
}

/** The ranges of a list's items in `text`; undefined where the value at `start` is no list. */
export function sliceItems(text: string, start = 0): readonly JsonSlice[] | undefined {
  return sliceList(text, skipSpace(text, start))?.items;
}

function sliceList(text: string, open: number): ListSlices | undefined {
  if (text.charCodeAt(open) !== OPEN_LIST) return undefined;
  const items: JsonSlice[] = [];
  let at = skipSpace(text, open + 1);
  while (at < text.length && text.charCodeAt(at) !== CLOSE_LIST) {
    const end = endOfValue(text, at);
    items.push({ start: at, end });
    at = afterComma(text, end);
  }
  return { slice: { start: open, end: at + 1 }, items };
}

function afterComma(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : at;
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return endOfPlain(text, start);
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    at++;
    if (unit === OPEN_OBJECT || unit === OPEN_LIST) depth++;
    else if ((unit === CLOSE_OBJECT || unit === CLOSE_LIST) && --depth === 0) return at;
  }
  return text.length;
}
