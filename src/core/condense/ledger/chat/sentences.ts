/** Shorter pieces say nothing without their neighbour. */
const LEAST_CHARACTERS = 24;
/** A line up to this length is one piece: to cut it would cost more than it saves. */
const SHORT_CHARACTERS = 160;
const END = /[.!?…]["'”’)\]]{0,3}\s{1,4}(?=\S)|[。！？]["”』」）]{0,3}/g;

/** The sentences of a line, none of them very short; a short line is one. */
export function sentencesOf(line: string): readonly string[] {
  if (line.length <= SHORT_CHARACTERS) return [line];
  const sentences: string[] = [];
  let start = 0;
  for (const { index, 0: end } of line.matchAll(END)) {
    const next = index + end.length;
    if (next - start < LEAST_CHARACTERS || line.length - next < LEAST_CHARACTERS) continue;
    sentences.push(line.slice(start, next).trim());
    start = next;
  }
  sentences.push(line.slice(start).trim());
  return sentences;
}
