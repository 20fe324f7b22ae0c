/** A piece of a text, and whether it is one of the words that somebody searched for. */
export interface MarkedPiece {
  readonly text: string;
  readonly isMarked: boolean;
}

const WORD = /[\p{L}\p{N}_]+/gu;
/** The search takes endings off words: "pages" finds "page", and both begin with this many letters in common. */
const ENDING = 2;
const SHORTEST = 3;

/** A text in pieces, in order: those that begin like a word of the query are marked. */
export function markWords(text: string, query: string): readonly MarkedPiece[] {
  const stems = [...query.toLowerCase().matchAll(WORD)].map(([word]) => stemOf(word));
  const pieces: MarkedPiece[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const lower = word.toLowerCase();
    if (!stems.some((stem) => lower === stem || (stem.length >= SHORTEST && lower.startsWith(stem)))) continue;
    if (index > end) pieces.push({ text: text.slice(end, index), isMarked: false });
    pieces.push({ text: word, isMarked: true });
    end = index + word.length;
  }
  return end < text.length ? [...pieces, { text: text.slice(end), isMarked: false }] : pieces;
}

function stemOf(word: string): string {
  return word.length >= SHORTEST + ENDING ? word.slice(0, -ENDING) : word;
}
