/** Texts up to this length, in UTF-16 units, are counted in one go. */
export const WINDOW_UNITS = 1 << 15;

const SPACE = 0x20;
const LINE_FEED = 0x0a;

/**
 * Where to stop counting what starts at `start`, so that the counts of all windows add up to that of the whole text.
 * A window is as short as sure boundaries allow, hence longer than {@link WINDOW_UNITS} only inside an unbroken run.
 */
export function findWindowEnd(text: string, start: number): number {
  let searchedTo = start;
  for (let limit = start + WINDOW_UNITS; limit < text.length; limit += limit - start) {
    for (let at = limit; at > searchedTo; at--) {
      if (isSureBoundary(text, at)) return at;
    }
    searchedTo = limit;
  }
  return text.length;
}

/** No piece reaches from a letter or digit into whitespace, and none that ends there depends on what follows. */
function isSureBoundary(text: string, at: number): boolean {
  const after = text.charCodeAt(at);
  return (after === SPACE || after === LINE_FEED) && isAsciiLetterOrDigit(text.charCodeAt(at - 1));
}

function isAsciiLetterOrDigit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39);
}
