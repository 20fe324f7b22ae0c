/** Marks, emoji modifiers and joiners extend the character before them. */
const EXTENDS_PREVIOUS = /^[\p{M}\p{Emoji_Modifier}\u200d]/u;
const FIRST_MARK = 0x300;
const JOINER = 0x200d;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** A character may have any number of marks; beyond this many, only surrogate pairs are kept whole. */
const MAX_STEPS = 32;

/** The nearest index at or before `index` where the text can be cut without breaking a character. */
export function cutBefore(text: string, index: number): number {
  for (let cut = index; cut > index - MAX_STEPS; cut--) if (isSafeCut(text, cut)) return cut;
  return splitsPair(text, index) ? index - 1 : index;
}

/** The nearest index at or after `index` where the text can be cut without breaking a character. */
export function cutAfter(text: string, index: number): number {
  for (let cut = index; cut < index + MAX_STEPS; cut++) if (isSafeCut(text, cut)) return cut;
  return splitsPair(text, index) ? index + 1 : index;
}

function isSafeCut(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return true;
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  if (before === CARRIAGE_RETURN && after === LINE_FEED) return false;
  if (after < FIRST_MARK) return true;
  if (before === JOINER || splitsPair(text, index)) return false;
  return !EXTENDS_PREVIOUS.test(text.slice(index, index + 2));
}

function splitsPair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
