/** Where a value stands in a text of JSON: from `start`, up to but not including `end`. */
export interface JsonSlice {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set(["{", "["]);

/**
 * The values of an object's fields, by name, as they stand in `text`; of a name that occurs twice, the last one, as `JSON.parse` has it.
 * The text must be valid JSON; undefined where the value at `start` is no object. Linear in the length of the value.
 */
export function sliceFields(text: string, start = 0): ReadonlyMap<string, JsonSlice> | undefined {
  const open = skipSpace(text, start);
  if (text[open] !== "{") return undefined;
  const fields = new Map<string, JsonSlice>();
  let at = skipSpace(text, open + 1);
  while (at < text.length && text[at] !== "}") {
    const nameEnd = endOfString(text, at);
    const name: unknown = JSON.parse(text.slice(at, nameEnd));
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    fields.set(String(name), { start: valueStart, end });
    at = afterComma(text, end);
  }
  return fields;
}

/** The items of a list as they stand in `text`; undefined where the value at `start` is no list. */
export function sliceItems(text: string, start = 0): readonly JsonSlice[] | undefined {
  const open = skipSpace(text, start);
  if (text[open] !== "[") return undefined;
  const items: JsonSlice[] = [];
  let at = skipSpace(text, open + 1);
  while (at < text.length && text[at] !== "]") {
    const end = endOfValue(text, at);
    items.push({ start: at, end });
    at = afterComma(text, end);
  }
  return items;
}

function afterComma(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text[at] === "," ? skipSpace(text, at + 1) : at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Jumps from quote to quote, for most of a conversation is long texts; a quote after an odd number of backslashes is part of one. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function endOfValue(text: string, start: number): number {
  if (text.charCodeAt(start) === QUOTE) return endOfString(text, start);
  if (!OPENING.has(text[start] ?? "")) return endOfPlain(text, start);
  let depth = 0;
  const structure = /["[\]{}]/g;
  for (let at = start; at < text.length; ) {
    structure.lastIndex = at;
    const found = structure.exec(text);
    if (found === null) break;
    const [character] = found;
    at = found.index + 1;
    if (character === '"') at = endOfString(text, found.index);
    else depth += OPENING.has(character) ? 1 : -1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** A number, true, false or null. */
function endOfPlain(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at++;
  return at;
}
