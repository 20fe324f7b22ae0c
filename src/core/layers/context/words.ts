import { cutBefore } from "../../text/clip-cut.ts";

const BLANK = /\s/;
/** Scripts that put no blanks between words, and their punctuation. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

/** The nearest place between words at or before `index`, and after `start`; `start` where there is none. */
export function wordBreakBefore(text: string, index: number, start: number): number {
  for (let cut = index; cut > start; cut--) if (isWordBreak(text, cut)) return cut;
  return start;
}

/** The nearest place between words after `index`; the end of the text where there is none. */
export function wordBreakAfter(text: string, index: number): number {
  for (let cut = index + 1; cut < text.length; cut++) if (isWordBreak(text, cut)) return cut;
  return text.length;
}

// A path or a name is one word: only blanks end it.
function isWordBreak(text: string, index: number): boolean {
  if (index >= text.length) return true;
  const before = text.charAt(index - 1);
  const after = text.charAt(index);
  if (BLANK.test(before) || BLANK.test(after)) return true;
  return (UNSPACED.test(before) || UNSPACED.test(after)) && cutBefore(text, index) === index;
}
