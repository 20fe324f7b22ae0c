import { sliceListField } from "../../core/json/json-slices.ts";
import { isRecord, parseJson } from "../../core/transcript/read-json.ts";
import { commonLength } from "./common-length.ts";

/** A body of JSON with a long list in it, the conversation. */
export interface JsonBody {
  readonly bytes: Buffer;
  /** What `JSON.parse` gives; undefined where it is no JSON. */
  readonly value: unknown;
  readonly listName: string;
  /** Its text, with a `0` for each item of the list that is not needed. */
  sparseText(isNeeded: (item: number) => boolean): string;
  /** Where its items stand; found when first asked for, undefined where there are none. Only for what is JSON. */
  places(): ItemPlaces | undefined;
}

interface ItemPlaces {
  /** What stands before the first item, as text; the list begins at this place of it. */
  readonly head: string;
  readonly openAt: number;
  /** In bytes: of the first item, and of each item's end. */
  readonly start: number;
  readonly ends: readonly number[];
}

/** Of so few, or where less than half of the body is the same, nothing is gained. */
const FEWEST_SHARED = 4;
const LEAST_SHARED_SHARE = 0.5;

/**
 * Reads a body. An agent sends all that was said each time: the items that `before` has too, byte for byte, are the same objects, and
 * are not read again.
 */
export function readJsonBody(bytes: Buffer, listName: string, before?: JsonBody): JsonBody {
  return (before && readWithShared(bytes, before)) ?? readWhole(bytes, listName);
}

function readWhole(bytes: Buffer, listName: string): JsonBody {
  const places = once(() => placesIn(bytes, listName));
  return jsonBody({ bytes, listName, value: parseJson(bytes.toString()), places });
}

function jsonBody(read: Omit<JsonBody, "sparseText">): JsonBody {
  return { ...read, sparseText: (isNeeded) => sparseText(read, isNeeded) };
}

/** Neighbours that are needed keep what stands between them. */
function sparseText(
  { bytes, places }: Pick<JsonBody, "bytes" | "places">,
  isNeeded: (item: number) => boolean,
): string {
  const { head, start, ends } = places() ?? { head: "", start: 0, ends: [] };
  const shown: string[] = [];
  let [item, next] = [0, start];
  while (item < ends.length) {
    const [isShown, from] = [isNeeded(item), next];
    let end = from;
    do {
      end = ends[item++] ?? end;
      next = skipSpace(bytes, skipSpace(bytes, end) + 1);
    } while (isShown && item < ends.length && isNeeded(item));
    shown.push(isShown ? bytes.toString("utf8", from, end) : "0");
  }
  return head + shown.join(",") + bytes.toString("utf8", ends.at(-1) ?? 0);
}

function placesIn(bytes: Buffer, listName: string): ItemPlaces | undefined {
  const text = bytes.toString();
  const { slice, items } = sliceListField(text, listName) ?? {};
  const first = items?.[0]?.start;
  if (slice === undefined || items === undefined || first === undefined) return undefined;
  const start = Buffer.byteLength(text.slice(0, first));
  // Not a slice of the text, which would keep all of it.
  const head = bytes.toString("utf8", 0, start);
  return { head, openAt: slice.start, start, ends: byteEnds(text, { from: first, at: start, items }) };
}

interface CountedFrom {
  /** A place in the text, and the same place in bytes. */
  readonly from: number;
  readonly at: number;
  readonly items: readonly { readonly end: number }[];
}

function byteEnds(text: string, { from, at, items }: CountedFrom): readonly number[] {
  let [place, bytes] = [from, at];
  return items.map(({ end }) => {
    bytes += Buffer.byteLength(text.slice(place, end));
    place = end;
    return bytes;
  });
}

/** Undefined where too little is the same, and where it cannot be told what is. */
function readWithShared(bytes: Buffer, before: JsonBody): JsonBody | undefined {
  const common = commonLength(before.bytes, bytes);
  if (common < LEAST_SHARED_SHARE * bytes.length) return undefined;
  const { listName } = before;
  const known = isRecord(before.value) ? before.value[listName] : undefined;
  const places = Array.isArray(known) ? before.places() : undefined;
  if (places === undefined || !Array.isArray(known)) return undefined;
  const count = countUpTo(places.ends, common);
  const rest = count < FEWEST_SHARED ? undefined : restBehind(bytes, places.ends[count - 1] ?? 0);
  return rest === undefined ? undefined : joinRest(bytes, rest, { places, listName, shared: known.slice(0, count) });
}

/** Of ends in order, how many have at least one more common byte behind them: a number that goes on there is another one. */
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

/** Where the next item begins, or the list ends; undefined where it goes on in no way that JSON knows. */
function restBehind(bytes: Buffer, end: number): number | undefined {
  const at = skipSpace(bytes, end);
  if (bytes[at] === CLOSE_LIST) return at;
  const next = skipSpace(bytes, at + 1);
  return bytes[at] === COMMA && bytes[next] !== CLOSE_LIST ? next : undefined;
}

/** What JSON takes for space, and nothing else. */
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (SPACES.has(bytes[at])) at++;
  return at;
}

interface Shared {
  readonly places: ItemPlaces;
  readonly listName: string;
  readonly shared: readonly unknown[];
}

/** The body without the shared items is a small one: it is read, and they are put back. */
function joinRest(bytes: Buffer, restAt: number, { places, listName, shared }: Shared): JsonBody | undefined {
  const { head, openAt, start, ends } = places;
  const text = head + bytes.toString("utf8", restAt);
  const value = parseJson(text);
  const added = isRecord(value) ? value[listName] : undefined;
  const list = added === undefined ? undefined : sliceListField(text, listName);
  // A second list of that name further on is the one that counts.
  if (!isRecord(value) || !Array.isArray(added) || list?.slice.start !== openAt) return undefined;
  const grown = once(() => {
    const added = byteEnds(text, { from: head.length, at: restAt, items: list.items });
    return { head, openAt, start, ends: [...ends.slice(0, shared.length), ...added] };
  });
  return jsonBody({ bytes, listName, value: { ...value, [listName]: [...shared, ...added] }, places: grown });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
