import { noteGrown } from "../../adapters/splice/read-once.ts";
import { sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { fieldAt, isRecord } from "../../core/json/read-json.ts";
import { endsInBytes, findPlaces, type ItemPlaces, skipSpace, sparseText } from "./item-places.ts";
import { commonLength } from "./recent-bodies.ts";

/** A JSON body with a long list in it, the conversation. */
export interface JsonBody {
  readonly bytes: Buffer;
  /** The parsed body; undefined if it is not JSON. */
  readonly value: unknown;
  /** The names of the fields that lead to the list. */
  readonly listPath: readonly string[];
  /** How many items at the beginning of the list are the same objects as in an earlier body. */
  readonly sharedItems: number;
  /** Returns the body's text with a `0` in place of each item of the list that is not needed. */
  sparseText(isNeeded: (item: number) => boolean): string;
  /** Returns where the list's items are, computed at the first call; undefined if there are no items. Only for bodies that are JSON. */
  places(): ItemPlaces | undefined;
}

/** Paths of field names that may lead to the list. The first one that leads to a list is used. */
export type ListPaths = readonly (readonly string[])[];

/** With fewer shared items, or if less than half of the body is shared, reading only the rest of it saves nothing. */
const FEWEST_SHARED = 4;
const LEAST_SHARED_SHARE = 0.5;

/**
 * Reads a body. An agent sends the whole conversation each time, so most items are those of the body `before`: items that are equal byte for byte
 * are taken from it as the same objects, and are not parsed again.
 */
export function readJsonBody(bytes: Buffer, listPaths: ListPaths, before?: JsonBody): JsonBody {
  return (before && readWithShared(bytes, before)) ?? readWhole(bytes, listPaths);
}

function readWhole(bytes: Buffer, listPaths: ListPaths): JsonBody {
  const value = tryParseJson(bytes.toString());
  const listPath = listPaths.find((path) => Array.isArray(fieldAt(value, ...path))) ?? listPaths[0] ?? [];
  return jsonBody({ bytes, listPath, value, sharedItems: 0, places: once(() => findPlaces(bytes, listPath)) });
}

/** Adds `sparseText` to a body that was read. */
export function jsonBody({ bytes, places, ...read }: Omit<JsonBody, "sparseText">): JsonBody {
  return {
    ...read,
    bytes,
    places,
    sparseText: (isNeeded) => {
      const itemPlaces = places();
      return itemPlaces === undefined ? bytes.toString() : sparseText(bytes, itemPlaces, isNeeded);
    },
  };
}

/**
 * Reads a body whose first `common` bytes are those of the body `before`. Returns undefined if too little is shared, or if it cannot be
 * determined which items are. @default common is computed by comparing the bodies
 */
export function readWithShared(
  bytes: Buffer,
  before: JsonBody,
  common: number = commonLength(before.bytes, bytes),
): JsonBody | undefined {
  if (common < LEAST_SHARED_SHARE * bytes.length) return undefined;
  const { listPath } = before;
  const known = fieldAt(before.value, ...listPath);
  const places = Array.isArray(known) ? before.places() : undefined;
  if (places === undefined || !Array.isArray(known)) return undefined;
  const count = countUpTo(places.ends, common);
  const rest = count < FEWEST_SHARED ? undefined : restBehind(bytes, places.ends[count - 1] ?? 0);
  return rest === undefined ? undefined : joinRest(bytes, rest, { places, listPath, known, count });
}

/** Counts the ends, which are in order, below `common`. The byte behind an item must be common too: a number might go on there. */
function countUpTo(ends: readonly number[], common: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) < common) low = middle + 1;
    else high = middle;
  }
  return low;
}

const [COMMA, CLOSE_LIST] = [0x2c, 0x5d];

/** Returns where the next item begins or the list ends; undefined if what follows is not valid JSON. */
function restBehind(bytes: Buffer, end: number): number | undefined {
  const at = skipSpace(bytes, end);
  if (bytes[at] === CLOSE_LIST) return at;
  const next = skipSpace(bytes, at + 1);
  return bytes[at] === COMMA && bytes[next] !== CLOSE_LIST ? next : undefined;
}

interface Shared {
  readonly places: ItemPlaces;
  readonly listPath: readonly string[];
  /** The list of the earlier body. */
  readonly known: readonly unknown[];
  /** How many items at its beginning are shared. */
  readonly count: number;
}

/** Parses the body without its shared items, which is small, and puts the shared items back into the list. */
function joinRest(bytes: Buffer, restAt: number, { places, listPath, known, count }: Shared): JsonBody | undefined {
  const { head, openAt, start, ends } = places;
  const text = head + bytes.toString("utf8", restAt);
  const value = tryParseJson(text);
  const added = fieldAt(value, ...listPath);
  const list = added === undefined ? undefined : sliceListAt(text, listPath);
  // If the field occurs twice, the last one counts in JSON: then the list is not the one with the shared items.
  if (!isRecord(value) || !Array.isArray(added) || list?.slice.start !== openAt) return undefined;
  const grown = once(() => {
    const addedEnds = endsInBytes(text, { from: head.length, at: restAt, items: list.items });
    return { head, openAt, start, ends: [...ends.slice(0, count), ...addedEnds] };
  });
  const items = [...known.slice(0, count), ...added];
  noteGrown(items, known, count);
  const grownValue = withList(value, listPath, items);
  return jsonBody({ bytes, listPath, value: grownValue, sharedItems: count, places: grown });
}

/** Returns a copy of `owner` in which the list at this path is replaced. Objects that are not on the path are shared. */
export function withList(owner: unknown, [name, ...rest]: readonly string[], list: readonly unknown[]): unknown {
  if (name === undefined) return list;
  return isRecord(owner) ? { ...owner, [name]: withList(owner[name], rest, list) } : owner;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
