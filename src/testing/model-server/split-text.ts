const PIECE_UNITS = 16;
const MAX_PIECES = 200;

/** The text as a model would stream it: in short pieces, no character torn in two. */
export function splitText(text: string): readonly string[] {
  const size = Math.max(PIECE_UNITS, Math.ceil(text.length / MAX_PIECES));
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + size + (isHighSurrogate(text.charCodeAt(start + size - 1)) ? 1 : 0);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
