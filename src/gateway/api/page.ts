import { optional, wholeNumber } from "./shape.ts";

export const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** A page ends early once its entries are this long, because a single message may be as large as a file. */
const MAX_PAGE_CHARACTERS = 4_000_000;

export const pageMembers = {
  after: optional(
    wholeNumber({
      description: "Entries behind the one with this index: `nextAfter` of the page before.",
      least: -1,
      most: Number.MAX_SAFE_INTEGER,
      fallback: -1,
    }),
  ),
  limit: limitMember("The most entries; a page of very long ones has fewer."),
};

export function limitMember(description: string) {
  return optional(wholeNumber({ description, least: 1, most: MAX_LIMIT, fallback: DEFAULT_LIMIT }));
}

export interface PageQuery {
  readonly after: number | undefined;
  readonly limit: number | undefined;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** The number of entries on all pages. */
  readonly total: number;
  /** The value of `after` for the next page; undefined if this is the last page. */
  readonly nextAfter: number | undefined;
}

/** Returns one page of a list. `show` makes the entries, and is called for at most one item beyond the page. */
export function pageOf<Item, Entry>(
  items: readonly Item[],
  { after = -1, limit = DEFAULT_LIMIT }: PageQuery,
  show: (item: Item, index: number) => Entry,
): Page<Entry> {
  const entries: Entry[] = [];
  let characters = 0;
  for (const [offset, item] of items.slice(after + 1, after + 1 + limit).entries()) {
    const entry = show(item, after + 1 + offset);
    characters += JSON.stringify(entry).length;
    if (entries.length > 0 && characters > MAX_PAGE_CHARACTERS) break;
    entries.push(entry);
  }
  const last = after + entries.length;
  const hasMore = entries.length > 0 && last < items.length - 1;
  return { entries, total: items.length, nextAfter: hasMore ? last : undefined };
}
