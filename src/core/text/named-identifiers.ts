import type { Identifier } from "./identifiers.ts";
import { wordsOf } from "./words.ts";

/** Git shows at least seven digits of a hash, and few people write more than twelve. */
const SHORT_HASH_LENGTHS = [7, 8, 9, 10, 11, 12];

/** A path is compared by up to so many of its last segments. */
const MAX_TAIL_SEGMENTS = 12;

/**
 * The values out of `wanted` that occur in the texts as whole identifiers: exactly, as a part of a qualified name
 * (`Session.close` names `Session`), for a path also its last segments or a longer path, for a hash its first digits.
 */
export function namedIdentifiers(wanted: readonly Identifier[], texts: Iterable<string>): ReadonlySet<string> {
  const exact = new Set(wanted.map(({ value }) => value));
  const named = new Set<string>();
  const valuesByShortForm = shortForms(wanted);
  for (const text of texts) {
    for (const { value } of wordsOf(text)) {
      for (const form of formsOf(value)) if (exact.has(form)) named.add(form);
      for (const longer of valuesByShortForm.get(value) ?? []) named.add(longer);
    }
    if (named.size === exact.size) break;
  }
  return named;
}

/** A word of a text, and the other values that it names: the last segments of a path, the parts of a qualified name. */
function formsOf(value: string): readonly string[] {
  if (value.includes("/")) return [value, ...tailsOf(value)];
  const parts = value.split(/::|[.#]/);
  return parts.length > 1 ? [value, ...parts] : [value];
}

/** The short forms of the wanted paths and hashes, each with the values that it may stand for. */
function shortForms(wanted: readonly Identifier[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const { kind, value } of wanted) {
    const forms =
      kind === "path" ? tailsOf(value) : kind === "hash" ? SHORT_HASH_LENGTHS.map((n) => value.slice(0, n)) : [];
    for (const form of forms) {
      const sameForm = values.get(form);
      if (sameForm === undefined) values.set(form, [value]);
      else sameForm.push(value);
    }
  }
  return values;
}

function tailsOf(path: string): readonly string[] {
  const tails: string[] = [];
  for (let slash = path.lastIndexOf("/"); slash > -1 && tails.length < MAX_TAIL_SEGMENTS; ) {
    if (slash + 1 < path.length) tails.push(path.slice(slash + 1));
    slash = slash === 0 ? -1 : path.lastIndexOf("/", slash - 1);
  }
  return tails;
}
