import { sliceListAt } from "../../core/json/json-slices.ts";

/** Where the items of a list are in a body. */
export interface ItemPlaces {
  /** The text before the first item. */
  readonly head: string;
  /** The index of the list's opening bracket in `head`. */
  readonly openAt: number;
  /** The offset of the first item, in bytes. */
  readonly start: number;
  /** The offset behind each item, in bytes. */
  readonly ends: readonly number[];
}

/** Finds the items of the list that the field names of `listPath` lead to. Returns undefined if there is no such list, or if it is empty. */
export function findPlaces(bytes: Buffer, listPath: readonly string[]): ItemPlaces | undefined {
  const text = bytes.toString();
  const { slice, items } = sliceListAt(text, listPath) ?? {};
  const first = items?.[0]?.start;
  if (slice === undefined || items === undefined || first === undefined) return undefined;
  const start = Buffer.byteLength(text.slice(0, first));
  // Not a slice of `text`, which would keep the whole text in memory.
  const head = bytes.toString("utf8", 0, start);
  return { head, openAt: slice.start, start, ends: endsInBytes(text, { from: first, at: start, items }) };
}

export interface CountedFrom {
  /** An index in the text at or before the first item. */
  readonly from: number;
  /** The offset in bytes that belongs to `from`. */
  readonly at: number;
  /** The items' ends as indexes in the text, in order. */
  readonly items: readonly { readonly end: number }[];
}

/** Converts the ends of items from indexes in the text to offsets in bytes. */
export function endsInBytes(text: string, { from, at, items }: CountedFrom): readonly number[] {
  let [index, offset] = [from, at];
  return items.map(({ end }) => {
    offset += Buffer.byteLength(text.slice(index, end));
    index = end;
    return offset;
  });
}

/** Returns the text of a body with a `0` in place of each item that is not needed. The text between two needed neighbours stays as it is. */
export function sparseText(
  bytes: Buffer,
  { head, start, ends }: ItemPlaces,
  isNeeded: (item: number) => boolean,
): string {
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

/** The white space of JSON. */
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Returns the offset of the first byte from `start` on that is not white space. */
export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (SPACES.has(bytes[at])) at++;
  return at;
}
