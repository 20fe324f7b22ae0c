import { PalimpsestError } from "../../errors.ts";

/** Tokens below this number are the single bytes, each its own number. */
export const SINGLE_BYTES = 256;

/** Stands where there is no token. */
export const NO_TOKEN = -1;

/** The tokens in order of rank. Each but the single bytes is given as the two tokens, `left` and `right`, that its last merge joins. */
export interface Vocabulary {
  readonly size: number;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly byteLength: Uint8Array;
}

/** Numbers are written in digits of six bits, from this character on. */
export const FIRST_DIGIT = 35;
const DIGITS_PER_TOKEN = 6;

/** Decodes the text that scripts/build-vocabulary.ts wrote; throws "vocabulary-damaged" where the checksum does not match. */
export function decodeVocabulary(merges: string, checksum: number): Vocabulary {
  if (merges.length % DIGITS_PER_TOKEN !== 0 || checksumOf(merges) !== checksum) {
    throw new PalimpsestError(
      "vocabulary-damaged",
      "The o200k_base vocabulary is not what was built. Reinstall palimpsest, or rebuild it in a checkout.",
    );
  }
  const size = SINGLE_BYTES + merges.length / DIGITS_PER_TOKEN;
  const left = new Int32Array(size);
  const right = new Int32Array(size);
  const byteLength = new Uint8Array(size).fill(1, 0, SINGLE_BYTES);
  for (let token = SINGLE_BYTES, at = 0; token < size; token++, at += DIGITS_PER_TOKEN) {
    const leftToken = readNumber(merges, at);
    const rightToken = readNumber(merges, at + DIGITS_PER_TOKEN / 2);
    left[token] = leftToken;
    right[token] = rightToken;
    byteLength[token] = (byteLength[leftToken] ?? 0) + (byteLength[rightToken] ?? 0);
  }
  return { size, left, right, byteLength };
}

function readNumber(digits: string, at: number): number {
  return (
    ((digits.charCodeAt(at) - FIRST_DIGIT) << 12) |
    ((digits.charCodeAt(at + 1) - FIRST_DIGIT) << 6) |
    (digits.charCodeAt(at + 2) - FIRST_DIGIT)
  );
}

/** FNV-1a, so that a damaged copy is noticed. */
export function checksumOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
