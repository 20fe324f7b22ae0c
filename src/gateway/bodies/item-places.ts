import { sliceListAt } from "../../core/json/json-slices.ts";

/** The places of the items of a list in a body. */
export interface ItemPlaces {
  /** What stands before the first item, as text; the list begins at this place of it. */
  readonly head: string;
  readonly openAt: number;
  /** In bytes: of the first item, and of each item's end. */
  readonly start: number;
  readonly ends: readonly number[];
}

/** Undefined where there is no such list, or nothing in it. */
export function findPlaces(bytes: Buffer, listPath: readonly string[]): ItemPlaces | undefined {
  const text = bytes.toString();
  const { slice, items } = sliceListAt(text, listPath) ?? {};
  const first = items?.[0]?.start;
  if (slice === undefined || items === undefined || first === undefined) return undefined;
  const start = Buffer.byteLength(text.slice(0, first));
  // Not a slice of the text, which would keep all of it.
  const head = bytes.toString("utf8", 0, start);
  return { head, openAt: slice.start, start, ends: endsInBytes(text, { from: first, at: start, items }) };
}

export interface CountedFrom {
  /** A place in the text, and the same place in bytes. */
  readonly from: number;
  readonly at: number;
  readonly items: readonly { readonly end: number }[];
}

export function endsInBytes(text: string, { from, at, items }: CountedFrom): readonly number[] {
  let [place, bytes] = [from, at];
  return items.map(({ end }) => {
    bytes += Buffer.byteLength(text.slice(place, end));
    place = end;
    return bytes;
  });
}

/** The text of a body with a `0` for each item that is not needed. Neighbours that are needed keep what stands between them. */
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

/** What JSON takes for space, and nothing else. */
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (SPACES.has(bytes[at])) at++;
  return at;
}
