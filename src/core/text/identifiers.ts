import { type IdentifierKind, identifierKind } from "./identifier-kind.ts";
import { tellingWordsOf, wordsOf } from "./words.ts";

/** A name that a reader could search for: it survives a summary as it is, or not at all. */
export interface Identifier {
  readonly kind: IdentifierKind;
  readonly value: string;
}

export interface CountedIdentifier extends Identifier {
  /** How often the text names it. */
  readonly count: number;
}

/**
 * The identifiers of a text in the order of their first occurrence: paths, URLs, code symbols, hashes, numbers of four
 * digits and more, flags, constants and error codes. Linear on any input.
 */
export function findIdentifiers(text: string): readonly CountedIdentifier[] {
  const found = new Map<string, { kind: IdentifierKind; count: number }>();
  for (const word of wordsOf(text)) {
    const known = found.get(word.value);
    if (known !== undefined) {
      known.count++;
      continue;
    }
    const kind = identifierKind(word);
    if (kind !== undefined) found.set(word.value, { kind, count: 1 });
  }
  return Array.from(found, ([value, { kind, count }]) => ({ kind, value, count }));
}

const NONE: readonly string[] = [];

/** The same identifiers in the same order, for a short text: names alone, and much faster. */
export function identifierValues(text: string): readonly string[] {
  let values: string[] | undefined;
  for (const word of tellingWordsOf(text)) {
    if (values?.includes(word.value) || identifierKind(word) === undefined) continue;
    if (values === undefined) values = [word.value];
    else values.push(word.value);
  }
  return values ?? NONE;
}
