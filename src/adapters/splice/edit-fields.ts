import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asRecord, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { RawRequest } from "../../core/ports/wire-adapter.ts";

/** The fields of a request's body; empty if it is no object. A gateway has parsed the body already: then it is not parsed again. */
export function fieldsOf(raw: RawRequest): JsonRecord {
  // `raw.body` may be a getter that decodes the whole body, which takes longer than all else here: read it only if it is needed.
  return asRecord(raw.value ?? tryParseJson(raw.body)) ?? {};
}

/** Returns the object's text with the field set to `value`, which is JSON. A field that is new becomes the first. */
export function setField(text: string, name: string, value: string): string {
  const slice = sliceFields(text)?.get(name);
  return slice === undefined ? insertField(text, name, value) : replace(text, slice, value);
}

/** Puts the field first, with a comma behind it: the object must have other fields. */
function insertField(text: string, name: string, value: string): string {
  const open = text.indexOf("{") + 1;
  return `${text.slice(0, open)}${JSON.stringify(name)}:${value},${text.slice(open)}`;
}

function replace(text: string, { start, end }: JsonSlice, value: string): string {
  return text.slice(0, start) + value + text.slice(end);
}

/** A text to insert, and the offset at which it goes. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
  /** The length of the prefix that determines the insertion: a body with the same prefix gets the same one. */
  readonly decidedBy: number;
}

const MOST_BEGINNINGS = 32;

/**
 * Returns a function that inserts into a body what `find` says, or returns undefined if `find` does. Most requests of an agent begin with
 * the same bytes (system prompt and tools): insertions are cached by that prefix, so that such a body is not scanned again.
 */
export function rememberInsertions(
  find: (body: string) => Insertion | undefined,
): (body: string) => string | undefined {
  const cache: { readonly beginning: string; readonly insertion: Insertion }[] = [];
  return (body) => {
    const cached = cache.find(({ beginning }) => body.startsWith(beginning));
    const insertion = cached?.insertion ?? find(body);
    if (insertion === undefined) return undefined;
    const { at, text, decidedBy } = insertion;
    if (cached === undefined) cache.push({ beginning: body.slice(0, decidedBy), insertion });
    if (cache.length > MOST_BEGINNINGS) cache.shift();
    return body.slice(0, at) + text + body.slice(at);
  };
}

/** The insertion that adds an item at the end of the list at this slice. */
export function endOfList(text: string, { start, end }: JsonSlice, item: string): Insertion {
  const last = sliceItems(text, start)?.at(-1);
  if (last === undefined) return { at: start + 1, text: item, decidedBy: end };
  return { at: last.end, text: `,${item}`, decidedBy: end };
}

/** Adds two usage reports field by field: numbers are summed, any other value is the later report's, if it has one. */
export function sumUsage(earlier: unknown, later: unknown): unknown {
  if (typeof earlier === "number" && typeof later === "number") return earlier + later;
  if (isRecord(earlier) && isRecord(later)) return sumFields(earlier, later);
  return later ?? earlier;
}

function sumFields(earlier: JsonRecord, later: JsonRecord): JsonRecord {
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return Object.fromEntries([...names].map((name) => [name, sumUsage(earlier[name], later[name])]));
}

/**
 * Returns the text with one more field at the end of the object at `owner`; every other byte stays. Returns the text unchanged if there is no
 * such object, or it has the field already.
 */
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
  /** @default the whole text is the object */
  readonly owner?: JsonSlice | undefined;
}

/** Returns the object's text with each of these fields lowered to `most` if it is a larger number. Every other byte stays. The text must be valid JSON. */
export function limitFields(text: string, names: readonly string[], most: number): string {
  const fields = sliceFields(text);
  const slices = names.flatMap((name) => fields?.get(name) ?? []);
  let limited = text;
  // From the end, so that earlier offsets stay valid.
  for (const { start, end } of slices.toSorted((one, other) => other.start - one.start)) {
    if (Number(text.slice(start, end)) > most) limited = `${limited.slice(0, start)}${most}${limited.slice(end)}`;
  }
  return limited;
}
