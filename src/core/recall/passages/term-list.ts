import { scanTerms, type TermCursor } from "../terms/scan-terms.ts";

/**
 * The distinct terms of one passage. Each has three numbers: the two halves of its 64-bit hash, and its count. Strings would take
 * several times the space and time.
 */
export interface TermList {
  /** The numbers are `entries[start…end)`; several lists share one array. */
  readonly entries: Uint32Array;
  readonly start: number;
  readonly end: number;
  /** The number of terms, with repetitions. */
  readonly length: number;
  /** Equal for passages with the same terms in the same order. */
  readonly signature: number;
}

export const ENTRY_SIZE = 3;

export interface TermHash {
  readonly low: number;
  readonly high: number;
}

const SLOTS = 4_096;
/** An ordinary passage has a tenth of this; further terms of an extreme one are not indexed. */
const MAX_DISTINCT = 2_048;

const slots = new Uint16Array(SLOTS);
const slotOf = new Uint16Array(MAX_DISTINCT);
const scratch = /* @__PURE__ */ new Uint32Array(MAX_DISTINCT * ENTRY_SIZE);

/** The distinct terms of a text, with their counts. */
export function listTerms(text: string): TermList {
  let distinct = 0;
  let length = 0;
  let low = 0;
  let high = 0;

  scanTerms(text, (term) => {
    const termLow = lowHash(term);
    const termHigh = highHash(term);
    low = (Math.imul(low, 31) + termLow) | 0;
    high = Math.imul(high ^ termHigh, 0x01000193);
    length++;
    for (let slot = termLow & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const found = slots[slot] ?? 0;
      if (found === 0) {
        if (distinct < MAX_DISTINCT) take(distinct++, slot, [termLow, termHigh]);
        return;
      }
      const at = (found - 1) * ENTRY_SIZE;
      if (scratch[at] !== termLow || scratch[at + 1] !== termHigh) continue;
      scratch[at + 2] = (scratch[at + 2] ?? 0) + 1;
      return;
    }
  });

  for (let index = 0; index < distinct; index++) slots[slotOf[index] ?? 0] = 0;
  return { ...store(distinct * ENTRY_SIZE), length, signature: (high >>> 11) * 2 ** 32 + (low >>> 0) };
}

const CHUNK_LENGTH = 32_768;
let chunk = new Uint32Array(0);
let chunkEnd = 0;

/** Copies the entries from the scratch array into a shared chunk: an array for each list would be mostly overhead. */
function store(length: number): Pick<TermList, "entries" | "start" | "end"> {
  if (chunkEnd + length > chunk.length) {
    chunk = new Uint32Array(CHUNK_LENGTH);
    chunkEnd = 0;
  }
  const start = chunkEnd;
  for (let at = 0; at < length; at++) chunk[start + at] = scratch[at] ?? 0;
  chunkEnd = start + length;
  return { entries: chunk, start, end: chunkEnd };
}

function take(index: number, slot: number, [low, high]: readonly [number, number]): void {
  slots[slot] = index + 1;
  slotOf[index] = slot;
  scratch[index * ENTRY_SIZE] = low;
  scratch[index * ENTRY_SIZE + 1] = high;
  scratch[index * ENTRY_SIZE + 2] = 1;
}

/** The hash of a term. */
export function hashTerm(term: TermRange): TermHash {
  return { low: lowHash(term), high: highHash(term) };
}

/** The hash of a text that is taken for one term, without scanning it. */
export function hashText(text: string): TermHash {
  const units = Uint16Array.from(text, (character) => character.charCodeAt(0));
  const term = { units, start: 0, end: units.length };
  return { low: lowHash(term), high: highHash(term) };
}

type TermRange = Pick<TermCursor, "units" | "start" | "end">;

function lowHash({ units, start, end }: TermRange): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}

function highHash({ units, start, end }: TermRange): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash, 0x5bd1e995) + (units[at] ?? 0);
  return Math.imul(hash ^ (hash >>> 13), 0x9e3779b1) >>> 0;
}
