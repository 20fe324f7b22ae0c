import { sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { fieldAt, isRecord } from "../../core/json/read-json.ts";
import { endsInBytes, findPlaces, type ItemPlaces, skipSpace, sparseText } from "./item-places.ts";
import { commonLength } from "./recent-bodies.ts";

/** A body of JSON with a long list in it, the conversation. */
export interface JsonBody {
  readonly bytes: Buffer;
  /** What `JSON.parse` gives; undefined where it is no JSON. */
  readonly value: unknown;
  /** The names of the fields that lead to the list. */
  readonly listPath: readonly string[];
  /** So many items at its beginning are those of an earlier body. */
  readonly sharedItems: number;
  /** Its text, with a `0` for each item of the list that is not needed. */
  sparseText(isNeeded: (item: number) => boolean): string;
  /** The places of its items; found when first asked for, undefined where there are none. Only for what is JSON. */
  places(): ItemPlaces | undefined;
}

/** The paths that may lead to the list: of several, the first that leads to a list counts. */
export type ListPaths = readonly (readonly string[])[];

/** Bodies must share so many items: with fewer, or where less than half of the body is the same, nothing is gained. */
const FEWEST_SHARED = 4;
const LEAST_SHARED_SHARE = 0.5;

/**
 * Reads a body. An agent sends all that was said each time: the items that `before` has too, byte for byte, are the same objects, and
 * are not read again.
 */
export function readJsonBody(bytes: Buffer, listPaths: ListPaths, before?: JsonBody): JsonBody {
  return (before && readWithShared(bytes, before)) ?? readWhole(bytes, listPaths);
}

function readWhole(bytes: Buffer, listPaths: ListPaths): JsonBody {
  const value = tryParseJson(bytes.toString());
  const listPath = listPaths.find((path) => Array.isArray(fieldAt(value, ...path))) ?? listPaths[0] ?? [];
  return jsonBody({ bytes, listPath, value, sharedItems: 0, places: once(() => findPlaces(bytes, listPath)) });
}

/** A body that was read. */
export function jsonBody({ bytes, places, ...read }: Omit<JsonBody, "sparseText">): JsonBody {
  return {
    ...read,
    bytes,
    places,
    sparseText: (isNeeded) => {
      const found = places();
      return found === undefined ? bytes.toString() : sparseText(bytes, found, isNeeded);
    },
  };
}

/** Undefined where too little is the same, and where it is not known what is. */
export function readWithShared(bytes: Buffer, before: JsonBody): JsonBody | undefined {
  const common = commonLength(before.bytes, bytes);
  if (common < LEAST_SHARED_SHARE * bytes.length) return undefined;
  const { listPath } = before;
  const known = fieldAt(before.value, ...listPath);
  const places = Array.isArray(known) ? before.places() : undefined;
  if (places === undefined || !Array.isArray(known)) return undefined;
  const count = countUpTo(places.ends, common);
  const rest = count < FEWEST_SHARED ? undefined : restBehind(bytes, places.ends[count - 1] ?? 0);
  return rest === undefined ? undefined : joinRest(bytes, rest, { places, listPath, shared: known.slice(0, count) });
}

/** Counts the ends, which are in order, that have at least one more common byte behind them: a number that goes on there is another one. */
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

/** Finds where the next item begins or the list ends; undefined where the text goes on in no way that JSON knows. */
function restBehind(bytes: Buffer, end: number): number | undefined {
  const at = skipSpace(bytes, end);
  if (bytes[at] === CLOSE_LIST) return at;
  const next = skipSpace(bytes, at + 1);
  return bytes[at] === COMMA && bytes[next] !== CLOSE_LIST ? next : undefined;
}

interface Shared {
  readonly places: ItemPlaces;
  readonly listPath: readonly string[];
  readonly shared: readonly unknown[];
}

/** The body without the shared items is a small one: it is read, and they are put back. */
function joinRest(bytes: Buffer, restAt: number, { places, listPath, shared }: Shared): JsonBody | undefined {
  const { head, openAt, start, ends } = places;
  const text = head + bytes.toString("utf8", restAt);
  const value = tryParseJson(text);
  const added = fieldAt(value, ...listPath);
  const list = added === undefined ? undefined : sliceListAt(text, listPath);
  // A second list of that name further on is the one that counts.
  if (!isRecord(value) || !Array.isArray(added) || list?.slice.start !== openAt) return undefined;
  const grown = once(() => {
    const added = endsInBytes(text, { from: head.length, at: restAt, items: list.items });
    return { head, openAt, start, ends: [...ends.slice(0, shared.length), ...added] };
  });
  const grownValue = withList(value, listPath, [...shared, ...added]);
  return jsonBody({ bytes, listPath, value: grownValue, sharedItems: shared.length, places: grown });
}

/** A copy of the objects on the way to the list, with another list at its end. */
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
