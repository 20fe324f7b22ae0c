import { type IdentifierKind, identifierKind } from "./identifier-kind.ts";
import { distinctiveWordsOf, wordsOf } from "./words.ts";

/** A name that a reader could search for: a summary keeps it verbatim or loses it. */
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
  const identifiers = new Map<string, { kind: IdentifierKind; count: number }>();
  for (const word of wordsOf(text)) {
    const earlier = identifiers.get(word.value);
    if (earlier !== undefined) {
      earlier.count++;
      continue;
    }
    const kind = identifierKind(word);
    if (kind !== undefined) identifiers.set(word.value, { kind, count: 1 });
  }
  return Array.from(identifiers, ([value, { kind, count }]) => ({ kind, value, count }));
}

const NONE: readonly string[] = [];

/** The names of {@link findIdentifiers} in the same order, without counts: much faster for short texts. */
export function identifierValues(text: string): readonly string[] {
  let values: string[] | undefined;
  for (const word of distinctiveWordsOf(text)) {
    if (values?.includes(word.value) || identifierKind(word) === undefined) continue;
    if (values === undefined) values = [word.value];
    else values.push(word.value);
  }
  return values ?? NONE;
}
