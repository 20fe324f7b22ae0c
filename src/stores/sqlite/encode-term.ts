/** A private character, which our tokenizer takes for a letter. */
const ESCAPE = "\ue000";

// White space, quotes and control characters would part a term, and capitals would be made small.
const PARTING = /[\0-"'A-Z\x7f\ue000]|\p{Surrogate}/gu;

/**
 * The term as one token of the full-text index, another one for every other term. The index's `ascii` tokenizer leaves
 * all beyond ASCII alone, and the schema names the signs that it takes for letters; what is left is escaped.
 */
export function encodeTerm(term: string): string {
  return term.replace(PARTING, (character) => `${ESCAPE}${character.charCodeAt(0).toString(16)}${ESCAPE}`);
}
