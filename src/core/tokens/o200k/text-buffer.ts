/** Text as UTF-8 bytes, followed by {@link END_OF_TEXT}; `view` is of the same bytes. */
export interface TextBuffer {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** No UTF-8 text contains this byte, so scans stop at it without comparing positions. */
export const END_OF_TEXT = 0xff;

const MAX_BYTES_PER_UNIT = 3;
// the last piece of a text is read as four whole words
const BYTES_PAST_TEXT = 16;

const encoder = new TextEncoder();

/** A buffer for texts of up to `units` UTF-16 units. */
export function createTextBuffer(units: number): TextBuffer {
  const bytes = new Uint8Array(units * MAX_BYTES_PER_UNIT + BYTES_PAST_TEXT);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Writes `text` from the start of `buffer` and returns its length in bytes; a lone surrogate becomes U+FFFD. */
export function writeText(buffer: TextBuffer, text: string): number {
  const { written } = encoder.encodeInto(text, buffer.bytes);
  buffer.bytes[written] = END_OF_TEXT;
  return written;
}

/** Texts up to this length, in UTF-16 units, are counted in one go. */
export const WINDOW_UNITS = 1 << 15;

const SPACE = 0x20;
const LINE_FEED = 0x0a;

/**
 * Where to end the window that begins at `start`, so that the counts of all windows add up to the count of the whole text.
 * A window is longer than {@link WINDOW_UNITS} only where an unbroken run leaves no boundary to cut at.
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
