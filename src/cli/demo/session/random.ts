/** Repeatable choices: the same label always gives the same sequence. */
export interface Random {
  /** A whole number from `minimum` to `maximum`, both included. */
  integer(minimum: number, maximum: number): number;
  /** A word of `length` characters of the alphabet. */
  word(length: number, alphabet: string): string;
  /** Fills the slots of a pattern: «2-90» a number, «lit|dim» one of these, «#6» six hexadecimal digits. */
  fill(pattern: string): string;
}

export const HEX = "0123456789abcdef";
export const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Seeds by label, so that a new piece of text never changes the values inside another one. */
export function seededRandom(label: string): Random {
  let state = 0;
  for (const character of label) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  const integer = (minimum: number, maximum: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // the low bits of such a generator repeat quickly: fold the high ones in
    const fraction = Math.imul(state ^ (state >>> 16), 0x45d9f3b) / 2 ** 32 + 0.5;
    return minimum + Math.floor(fraction * (maximum - minimum + 1));
  };
  const word = (length: number, alphabet: string): string =>
    Array.from({ length }, () => alphabet.charAt(integer(0, alphabet.length - 1))).join("");
  const slot = (inside: string): string => {
    const [, minimum, maximum] = /^(\d+)-(\d+)$/.exec(inside) ?? [];
    if (minimum !== undefined && maximum !== undefined) return String(integer(Number(minimum), Number(maximum)));
    if (inside.startsWith("#")) return word(Number(inside.slice(1)), HEX);
    const choices = inside.split("|");
    return choices[integer(0, choices.length - 1)] ?? "";
  };
  return { integer, word, fill: (pattern) => pattern.replace(/«(.+?)»/g, (_, inside: string) => slot(inside)) };
}
