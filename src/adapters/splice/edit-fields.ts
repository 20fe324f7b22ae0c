import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asRecord, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { RawRequest } from "../../core/ports/wire-adapter.ts";

/** What a request's body says, which is known already where it came through a gateway. */
export function fieldsOf({ value, body }: RawRequest): JsonRecord {
  return asRecord(value ?? tryParseJson(body)) ?? {};
}

/** The text of an object with another value for one of its fields. */
export function setField(text: string, name: string, value: string): string {
  const slice = sliceFields(text)?.get(name);
  return slice === undefined ? insertField(text, name, value) : replace(text, slice, value);
}

/** The text of an object, which has others, with one more field. */
function insertField(text: string, name: string, value: string): string {
  const open = text.indexOf("{") + 1;
  return `${text.slice(0, open)}${JSON.stringify(name)}:${value},${text.slice(open)}`;
}

function replace(text: string, { start, end }: JsonSlice, value: string): string {
  return text.slice(0, start) + value + text.slice(end);
}

/** Something that is put into a text, and where. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
  /** Up to where a body decides that. */
  readonly decidedBy: number;
}

const MOST_BEGINNINGS = 32;

/**
 * Inserts into bodies what `find` says. Most requests of an agent begin alike: then the place is known without another walk over the body.
 */
export function rememberInsertions(
  find: (body: string) => Insertion | undefined,
): (body: string) => string | undefined {
  const known: { readonly beginning: string; readonly insertion: Insertion }[] = [];
  return (body) => {
    const same = known.find(({ beginning }) => body.startsWith(beginning));
    const insertion = same?.insertion ?? find(body);
    if (insertion === undefined) return undefined;
    const { at, text, decidedBy } = insertion;
    if (same === undefined) known.push({ beginning: body.slice(0, decidedBy), insertion });
    if (known.length > MOST_BEGINNINGS) known.shift();
    return body.slice(0, at) + text + body.slice(at);
  };
}

/** Adds an item at the end of the list at `slice`. */
export function endOfList(text: string, { start, end }: JsonSlice, item: string): Insertion {
  const last = sliceItems(text, start)?.at(-1);
  if (last === undefined) return { at: start + 1, text: item, decidedBy: end };
  return { at: last.end, text: `,${item}`, decidedBy: end };
}

/** Both reports of usage as one: numbers are added up, of everything else the later counts. */
export function sumUsage(one: unknown, other: unknown): unknown {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (isRecord(one) && isRecord(other)) return sumFields(one, other);
  return other ?? one;
}

function sumFields(one: JsonRecord, other: JsonRecord): JsonRecord {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, sumUsage(one[name], other[name])]));
}

/** The text with one more field at the end of the object at `owner`; every other byte is the same. @default the whole text */
export function addField(text: string, name: string, { value, owner }: AddedField): string {
  const start = owner?.start ?? 0;
  const fields = sliceFields(text, start);
  const end = owner === undefined ? text.lastIndexOf("}") : owner.end - 1;
  if (fields === undefined || fields.has(name) || text[end] !== "}") return text;
  const comma = fields.size === 0 ? "" : ",";
  return `${text.slice(0, end)}${comma}${JSON.stringify(name)}:${JSON.stringify(value)}${text.slice(end)}`;
}

interface AddedField {
  readonly value: unknown;
  readonly owner?: JsonSlice | undefined;
}

/**
 * The text of an object with these of its fields at most so large, where they are numbers. Every other byte is the same. The text must
 * be valid JSON.
 */
export function limitFields(text: string, names: readonly string[], most: number): string {
  const fields = sliceFields(text);
  const slices = names.flatMap((name) => fields?.get(name) ?? []);
  let limited = text;
  // From the end, so that the places before stay where they are.
  for (const { start, end } of slices.toSorted((one, other) => other.start - one.start)) {
    if (Number(text.slice(start, end)) > most) limited = `${limited.slice(0, start)}${most}${limited.slice(end)}`;
  }
  return limited;
}
