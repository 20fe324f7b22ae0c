/** The items of a conversation as they stand in a request's body, byte for byte. */
export interface BodySlices {
  /** Up to the first item, and from the end of the last one on. */
  readonly before: string;
  readonly after: string;
  readonly items: readonly string[];
}

const OUR_MARK = '"cache_control":\\{"type":"ephemeral"(?:,"ttl":"1h")?\\}';
const MARKED_STRING = new RegExp(`\\[\\{"type":"text","text":("(?:[^"\\\\]|\\\\.)*"),${OUR_MARK}\\}\\]`, "g");
const MARKED_BLOCK = new RegExp(`,${OUR_MARK}\\}`, "g");

/** A body without the marks for the cache that a gateway adds: all else must be as in the client's own, where a text may be a string. */
export function withoutMarks(body: string, own: string): string {
  const asSent = (_: string, text: string) => {
    const block = `[{"type":"text","text":${text}}]`;
    return own.includes(block) ? block : text;
  };
  return body.replace(MARKED_STRING, asSent).replace(MARKED_BLOCK, "}");
}

/** Cuts a body at the items of the list that one of its own fields holds. */
export function sliceBody(body: string, field: string): BodySlices {
  const list = listStart(body, field);
  const items: string[] = [];
  let start = list;
  for (let index = list; index < body.length; ) {
    if (body[index] === "]") return { before: body.slice(0, list), after: body.slice(start), items };
    if (body[index] === "," || isSpace(body[index])) {
      index += 1;
      continue;
    }
    const end = valueEnd(body, index);
    items.push(body.slice(index, end));
    start = end;
    index = end;
  }
  throw new Error(`the list ${field} has no end`);
}

/** Where the first item of the list stands. */
function listStart(body: string, field: string): number {
  for (let index = body.indexOf("{") + 1; index < body.length; ) {
    if (body[index] !== '"') {
      index += 1;
      continue;
    }
    const keyEnd = valueEnd(body, index);
    let value = body.indexOf(":", keyEnd) + 1;
    while (isSpace(body[value])) value += 1;
    if (JSON.parse(body.slice(index, keyEnd)) === field) return value + 1;
    index = valueEnd(body, value);
  }
  throw new Error(`the body has no ${field}`);
}

/** Where the value ends that begins at a place. */
function valueEnd(body: string, start: number): number {
  let depth = 0;
  for (let index = start; index < body.length; index++) {
    const character = body[index];
    if (character === '"') index = stringEnd(body, index);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth < 0) return index;
    if (depth === 0 && /[\s,"}\]]/.test(body[index] ?? "")) return body[index] === "," ? index : index + 1;
  }
  throw new Error("the value has no end");
}

function stringEnd(body: string, start: number): number {
  let index = start + 1;
  while (body[index] !== '"') index += body[index] === "\\" ? 2 : 1;
  return index;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

/** What every stand-in says of itself, so that its reader knows how to get back what it hides. */
const STAND_IN = /\bfold (?:condense|truncate|clear|dedupe|clip)-|Ledger of the earlier conversation/;

export interface FoldedItems {
  /** As the client sent them. */
  readonly kept: readonly string[];
  readonly folded: readonly string[];
  /** Items that are neither what the client sent nor say that they stand for it. */
  readonly strange: readonly string[];
}

/** Tells the items of a request that went upstream apart; those of the client must be in its order. */
export function compareItems(sent: BodySlices, own: BodySlices): FoldedItems {
  const kept: string[] = [];
  const folded: string[] = [];
  const strange: string[] = [];
  let next = 0;
  for (const item of sent.items) {
    const place = own.items.indexOf(item, next);
    if (place !== -1) {
      kept.push(item);
      next = place + 1;
    } else (STAND_IN.test(item) ? folded : strange).push(item);
  }
  return { kept, folded, strange };
}
