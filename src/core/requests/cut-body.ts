import { runSteps, type Steps } from "../steps.ts";

/** An offset at which a body of JSON is cut, and the state of the scan there, so that it can go on from the cut. */
export interface BodyCut {
  readonly at: number;
  /** The number of open objects. */
  readonly objects: number;
  /** Whether a list is open in the innermost object. */
  readonly isInList: boolean;
}

/** Shorter pieces are joined with the next one. */
const SHORTEST_PIECE = 64;
/**
 * Shorter items are taken together: each piece is hashed, and a row of its own in a store. One in eight ends a piece, by its length, so that after
 * an edit the pieces are soon the same again; and none is longer than so many bytes and one item.
 */
const LONG_ITEM = 256;
const ENDING_ITEMS = 8;
const LONG_PIECE = 1_024;
/** A text of this length is a piece of its own, such as a system prompt. */
const LONG_TEXT = 256;
const STEP_BYTES = 131_072;

const START: BodyCut = { at: 0, objects: 0, isInList: false };

/**
 * Where to cut a body of JSON, so that two bodies with common parts have equal pieces: behind the objects in a list of the body's fields
 * (messages, tools, parts of a system prompt), of which some short ones share a piece, and around long texts. A cut depends only on the bytes
 * before it: of a body that begins like a known one, only the rest is scanned. Whatever the bytes are, the pieces joined are the body.
 */
export function cutBody(bytes: Uint8Array, options: CutOptions = {}): readonly BodyCut[] {
  return runSteps(cutBodyInSteps(bytes, options));
}

export interface CutOptions {
  /** The cuts of a body that begins with the same `sharedBytes`. @default none */
  readonly known?: readonly BodyCut[];
  /** @default 0 */
  readonly sharedBytes?: number;
  /** About how many bytes one step scans. @default 131_072 */
  readonly stepBytes?: number;
}

/** {@link cutBody} in steps: fifteen megabytes of small messages take a tenth of a second. */
export function* cutBodyInSteps(
  bytes: Uint8Array,
  { known = [], sharedBytes = 0, stepBytes = STEP_BYTES }: CutOptions = {},
): Steps<readonly BodyCut[]> {
  // Whether there is a cut before a text depends on its first 256 bytes.
  const cuts = known.slice(0, countBelow(known, sharedBytes - LONG_TEXT));
  for (;;) {
    const from = cuts.at(-1) ?? START;
    if (scan(bytes, { from, until: from.at + stepBytes, cuts }) === "whole") return cuts;
    yield;
  }
}

/** A part of a body, between two cuts. */
export interface BodyPiece {
  readonly start: number;
  readonly end: number;
}

/** The pieces of a body, from the first byte to the last. */
export function* piecesOf(bytes: Uint8Array, cuts: readonly BodyCut[]): Generator<BodyPiece> {
  let start = 0;
  for (const { at: end } of cuts) {
    yield { start, end };
    start = end;
  }
  if (start < bytes.length) yield { start, end: bytes.length };
}

function countBelow(cuts: readonly BodyCut[], limit: number): number {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle]?.at ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

interface Scan {
  readonly from: BodyCut;
  readonly until: number;
  /** New cuts are added here. */
  readonly cuts: BodyCut[];
}

/** Adds cuts, until one is at or behind `until`, or the body ends. Returns which. */
function scan(bytes: Uint8Array, { from, until, cuts }: Scan): "whole" | "until" {
  let { at, objects, isInList } = from;
  let last = at;
  let isName = false;
  const cut = (offset: number) => {
    if (offset - last < SHORTEST_PIECE) return;
    last = offset;
    cuts.push({ at: offset, objects, isInList });
  };
  while (at < bytes.length) {
    if (last >= until) return "until";
    const start = at;
    const byte = bytes[at++];
    if (byte === QUOTE) {
      at = endOfText(bytes, start);
      const isPiece = !isInList && !isName && at - start >= LONG_TEXT;
      if (isPiece) cut(start);
      if (isPiece) cut(at);
    } else if ((byte === OPEN_OBJECT || byte === OPEN_LIST) && isInList) {
      // Only the first object needs a cut before it: the piece of a later one begins with the comma before it.
      if (byte === OPEN_OBJECT && bytes[start - 1] !== COMMA) cut(start);
      at = endOfNested(bytes, start);
      const length = at - start;
      const endsPiece = length >= LONG_ITEM || length % ENDING_ITEMS === 0 || at - last >= LONG_PIECE;
      if (byte === OPEN_OBJECT && endsPiece) cut(at);
    } else if (byte === OPEN_OBJECT) {
      objects++;
      isName = true;
    } else if (byte === CLOSE_OBJECT) objects--;
    else if (byte === OPEN_LIST) isInList = true;
    else if (byte === CLOSE_LIST) isInList = false;
    else if (byte === COMMA) isName = !isInList;
    else if (byte === COLON) isName = false;
  }
  return "whole";
}

/** The offset behind the text that begins at `start`, or the end of the bytes. */
export function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return bytes.length;
}

/** The offset behind the object or list that begins at `start`, or the end of the bytes. */
function endOfNested(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfText(bytes, at);
      continue;
    }
    at++;
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) return at;
  }
  return bytes.length;
}
