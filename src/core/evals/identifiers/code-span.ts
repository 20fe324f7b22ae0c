/** A piece of text between backticks, without spaces. */
export interface CodeSpan {
  /** Where its backticks stand. */
  readonly start: number;
  readonly end: number;
  /** What it names, if that is written in a script without capitals: only the backticks say where such a name ends. */
  readonly uncasedName?: string;
}

const MAX_SPAN_CHARACTERS = 80;

/** The code span that the backtick at `start` opens; none where no backtick follows in the same word. */
export function codeSpanAt(text: string, start: number): CodeSpan | undefined {
  const last = Math.min(text.length, start + 1 + MAX_SPAN_CHARACTERS);
  for (let end = start + 1; end <= last; end++) {
    const character = text.charAt(end);
    if (character.trim() === "") return undefined;
    if (character === "`") return describeSpan(text, start, end);
  }
  return undefined;
}

const UNCASED_LETTER = /\p{Lo}/u;
const WHOLE_NAME = /^[\p{L}\p{M}\p{N}_./-]+$/u;

function describeSpan(text: string, start: number, end: number): CodeSpan {
  const content = text.slice(start + 1, end);
  const isUncased = UNCASED_LETTER.test(content) && WHOLE_NAME.test(content);
  return isUncased ? { start, end, uncasedName: content } : { start, end };
}
