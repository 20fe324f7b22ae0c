/** Shorter pieces say nothing without their neighbour, and are joined to it. */
const LEAST_CHARACTERS = 24;
const SENTENCE_END = /[.!?…]["'”’)\]]{0,3}\s{1,4}(?=\S)|[。！？]["”』」）]{0,3}/g;

/** The sentences of a line, none of them very short; a line of no more than `shortCharacters` counts as one sentence. */
export function sentencesOf(line: string, shortCharacters: number): readonly string[] {
  if (line.length <= shortCharacters) return [line];
  const sentences: string[] = [];
  let start = 0;
  for (const { index, 0: end } of line.matchAll(SENTENCE_END)) {
    const next = index + end.length;
    if (next - start < LEAST_CHARACTERS || line.length - next < LEAST_CHARACTERS) continue;
    sentences.push(line.slice(start, next).trim());
    start = next;
  }
  sentences.push(line.slice(start).trim());
  return sentences;
}
