/** Where a value stands in a text of JSON: from `start`, up to but not including `end`. */
export interface JsonSlice {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set(["{", "["]);
const CLOSING = new Set(["}", "]"]);

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

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    at += unit === BACKSLASH ? 2 : 1;
  }
  return text.length;
}

function endOfValue(text: string, start: number): number {
  if (text.charCodeAt(start) === QUOTE) return endOfString(text, start);
  if (!OPENING.has(text[start] ?? "")) return endOfPlain(text, start);
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const character = text[at] ?? "";
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (OPENING.has(character)) depth++;
    if (CLOSING.has(character)) depth--;
    at++;
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
