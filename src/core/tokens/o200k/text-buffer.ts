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

/** Replaces what `buffer` holds and returns the length of `text` in bytes; a lone surrogate becomes U+FFFD. */
export function writeText(buffer: TextBuffer, text: string): number {
  const { written } = encoder.encodeInto(text, buffer.bytes);
  buffer.bytes[written] = END_OF_TEXT;
  return written;
}
