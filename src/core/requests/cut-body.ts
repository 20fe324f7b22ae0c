/** A place at which a body of JSON is cut, and what is open there: so many objects, and perhaps a list in the innermost of them. */
export interface BodyCut {
  readonly at: number;
  readonly objects: number;
  readonly isInList: boolean;
}

/** Shorter pieces stay with the one behind them. */
const SHORTEST_PIECE = 64;
/** A text of this length is a piece of its own, such as a system prompt. */
const LONG_TEXT = 256;

const START: BodyCut = { at: 0, objects: 0, isInList: false };

/**
 * Where to cut a body of JSON, so that what two bodies have in common is in equal pieces: behind each object of a list that the body's own
 * fields lead to (messages, tools, parts of a system prompt), and around long texts. What follows a cut depends only on what comes before
 * it: `known` are the cuts of a body that begins with the same `sharedBytes`, and only what follows is looked at. Whatever the bytes are,
 * all pieces together are the body.
 */
export function cutBody(bytes: Uint8Array, known: readonly BodyCut[] = [], sharedBytes = 0): readonly BodyCut[] {
  // Whether there is a cut before a text depends on how long it is.
  const kept = known.slice(0, countBelow(known, sharedBytes - LONG_TEXT));
  return [...kept, ...scan(bytes, kept.at(-1) ?? START)];
}

/** The pieces of a body, from the first byte to the last. */
export function piecesOf(bytes: Uint8Array, cuts: readonly BodyCut[]): readonly Uint8Array[] {
  const places = [0, ...cuts.map(({ at }) => at), bytes.length];
  return places.slice(1).flatMap((end, index) => {
    const start = places[index] ?? 0;
    return end > start ? [bytes.subarray(start, end)] : [];
  });
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

function scan(bytes: Uint8Array, from: BodyCut): readonly BodyCut[] {
  const cuts: BodyCut[] = [];
  let { at, objects, isInList } = from;
  let last = at;
  let isName = false;
  const cut = (place: number) => {
    if (place - last < SHORTEST_PIECE) return;
    last = place;
    cuts.push({ at: place, objects, isInList });
  };
  while (at < bytes.length) {
    const start = at;
    const byte = bytes[at++];
    if (byte === QUOTE) {
      at = endOfText(bytes, start);
      const isPiece = !isInList && !isName && at - start >= LONG_TEXT;
      if (isPiece) cut(start);
      if (isPiece) cut(at);
    } else if ((byte === OPEN_OBJECT || byte === OPEN_LIST) && isInList) {
      // The first one begins a piece; the others have the comma before them in theirs.
      if (byte === OPEN_OBJECT && bytes[start - 1] !== COMMA) cut(start);
      at = endOfNested(bytes, start);
      if (byte === OPEN_OBJECT) cut(at);
    } else if (byte === OPEN_OBJECT) {
      objects++;
      isName = true;
    } else if (byte === CLOSE_OBJECT) objects--;
    else if (byte === OPEN_LIST) isInList = true;
    else if (byte === CLOSE_LIST) isInList = false;
    else if (byte === COMMA) isName = !isInList;
    else if (byte === COLON) isName = false;
  }
  return cuts;
}

/** Behind the text that begins at `start`, or at the end of the bytes. */
export function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return bytes.length;
}

/** Behind the object or list that begins at `start`, or at the end of the bytes. */
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
