/**
 * Reading only what is new. An agent sends all that was said with each request, and a gateway hands over the items that came before as the
 * same objects: what was read of them is kept for as long as they are. Items must not change once they were read.
 */

/** What was read of a list, item for item. */
interface KnownList<Item, Read> {
  readonly items: readonly Item[];
  readonly reads: readonly Read[];
}

/**
 * Reads lists item for item: one that begins with the items of an earlier list is read from the first item that differs. `read` must depend
 * on the item alone.
 */
export function readEach<Item, Read>(read: (item: Item) => Read): (items: readonly Item[]) => readonly Read[] {
  // One entry for a conversation, by its first item: an entry for each item would cost more than reading some.
  const known = new WeakMap<WeakKey, KnownList<Item, Read>>();
  return (items) => {
    const first: unknown = items[0];
    const before = isWeakKey(first) ? known.get(first) : undefined;
    const shared = sharedCount(before?.items, items);
    const reads = before?.reads.slice(0, shared) ?? [];
    for (const item of items.slice(shared)) reads.push(read(item));
    if (isWeakKey(first)) known.set(first, { items, reads });
    return reads;
  };
}

/** Tells of lists whether any item is such. Of one that begins with the items of an earlier list, only the others are asked. */
export function someItem<Item>(isSuch: (item: Item) => boolean): (items: readonly Item[]) => boolean {
  /** Lists without such an item. */
  const known = new WeakMap<WeakKey, readonly Item[]>();
  return (items) => {
    const first: unknown = items[0];
    const before = isWeakKey(first) ? known.get(first) : undefined;
    if (items.slice(sharedCount(before, items)).some(isSuch)) return true;
    if (isWeakKey(first)) known.set(first, items);
    return false;
  };
}

/**
 * Reads lists of which most begin with all items of an earlier one: only what is behind those is read, and `extend` adds it to what is known. Any
 * other list is read from its first item on.
 */
export function readGrowth<Item, Read>(
  nothing: Read,
  extend: (known: Read, added: readonly Item[], all: readonly Item[]) => Read,
): (items: readonly Item[]) => Read {
  const known = new WeakMap<WeakKey, { readonly items: readonly Item[]; readonly read: Read }>();
  return (items) => {
    const first: unknown = items[0];
    const before = isWeakKey(first) ? known.get(first) : undefined;
    if (before?.items === items) return before.read;
    const isGrown = before !== undefined && sharedCount(before.items, items) === before.items.length;
    const read = isGrown ? extend(before.read, items.slice(before.items.length), items) : extend(nothing, items, items);
    if (isWeakKey(first)) known.set(first, { items, read });
    return read;
  };
}

/** Counts the items that both lists begin with and share. */
function sharedCount(one: readonly unknown[] | undefined, other: readonly unknown[]): number {
  if (one === undefined) return 0;
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one[count] === other[count]) count++;
  return count;
}

/** A place at which grouping can go on: this item begins a group, and so many groups are complete before it. */
interface Resumption {
  readonly index: number;
  readonly groupCount: number;
}

/** What was grouped of a list. */
interface KnownGroups<Item, Group> {
  readonly items: readonly Item[];
  readonly groups: readonly Group[];
  readonly resumptions: readonly Resumption[];
  readonly group: GroupItems<Item, Group>;
}

/** Takes groups as they are complete. */
export interface GroupList<Group> {
  add(group: Group): void;
  /** Says that this item begins a group whatever comes behind it, and that all groups before it were added. */
  resumable(index: number): void;
}

/** Groups the items from `start` on: 0, or where it said that it can go on. */
export type GroupItems<Item, Group> = (items: readonly Item[], start: number, list: GroupList<Group>) => void;

/**
 * Groups lists of items: one that begins with the items of an earlier list is grouped from the last place in them where that can go on.
 * `begin` is called for each conversation, of which the function that it returns may keep something.
 */
export function groupEach<Item, Group>(
  begin: () => GroupItems<Item, Group>,
): (items: readonly Item[]) => readonly Group[] {
  const known = new WeakMap<WeakKey, KnownGroups<Item, Group>>();
  return (items) => {
    const first: unknown = items[0];
    const before = isWeakKey(first) ? known.get(first) : undefined;
    const grouped = groupFrom(before ?? { items: [], groups: [], resumptions: [], group: begin() }, items);
    if (isWeakKey(first)) known.set(first, grouped);
    return grouped.groups;
  };
}

function groupFrom<Item, Group>(before: KnownGroups<Item, Group>, items: readonly Item[]): KnownGroups<Item, Group> {
  const shared = sharedCount(before.items, items);
  const last = before.resumptions.findLastIndex(({ index }) => index < shared);
  const { index: start, groupCount } = before.resumptions[last] ?? { index: 0, groupCount: 0 };
  const groups = before.groups.slice(0, groupCount);
  const resumptions = before.resumptions.slice(0, last + 1);
  before.group(items, start, {
    add: (group) => groups.push(group),
    resumable: (index) => {
      if (index > start) resumptions.push({ index, groupCount: groups.length });
    },
  });
  return { items, groups, resumptions, group: before.group };
}

function isWeakKey(value: unknown): value is WeakKey {
  return typeof value === "object" && value !== null;
}
