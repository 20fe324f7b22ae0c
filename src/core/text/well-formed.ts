import { isRecord } from "../json/read-json.ts";

/** Finds halves of pairs and whole pairs alike, quickly. */
const ANY_SURROGATE = /[\ud800-\udfff]/;

/** Replaces lone surrogates, which have no UTF-8 encoding: providers refuse a request with one. */
export function wellFormed(text: string): string {
  return ANY_SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, "\uFFFD") : text;
}

/** The value with every string in it well-formed, keys included; the same value if all are. */
export function wellFormedValue<Value>(value: Value): Value;
export function wellFormedValue(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => wellFormedValue(item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([key, item]) => [wellFormed(key), wellFormedValue(item)] as const);
  const isSame = changed.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index][1]);
  return isSame ? value : Object.fromEntries(changed);
}
