/**
 * Caches that let a request read only its new items. An agent resends the whole conversation with each request, and a gateway hands over the
 * earlier items as the same objects: what was read of them is kept for as long as they live. Items must not change once they were read.
 */

/** How a list came from an earlier list. Lists are named by numbers: a reference to the earlier list would keep it, and all before it, alive. */
interface Lineage {
  readonly number: number;
  readonly before: number | undefined;
  readonly shared: number;
}

/** The shortest common prefix that is noted: shorter ones are compared faster. */
const FEWEST_NOTED = 64;

const lineages = new WeakMap<readonly unknown[], Lineage>();
let lists = 0;

/**
 * Notes that a list begins with the first `shared` items of an earlier list, so that readers of the list need not compare the items again.
 * Neither list may change any more.
 */
export function noteGrown(list: readonly unknown[], before: readonly unknown[], shared: number): void {
  if (shared < FEWEST_NOTED) return;
  const { number } = lineages.get(before) ?? addLineage(before, { before: undefined, shared: 0 });
  addLineage(list, { before: number, shared });
}

function addLineage(list: readonly unknown[], { before, shared }: Omit<Lineage, "number">): Lineage {
  const lineage = { number: ++lists, before, shared };
  lineages.set(list, lineage);
  return lineage;
}

/** Notes that `beginning`, a prefix of `whole`, came from the same list as `whole`. */
export function noteBeginning(beginning: readonly unknown[], whole: readonly unknown[]): void {
  const lineage = lineages.get(whole);
  if (lineage !== undefined) addLineage(beginning, { ...lineage, shared: Math.min(lineage.shared, beginning.length) });
}

/** The items of a list, and what was read of each. */
interface ReadList<Item, Read> {
  readonly items: readonly Item[];
  readonly reads: readonly Read[];
}

/**
 * Returns a function that applies `read` to each item of a list. A list that begins with the items of an earlier list is only read from the
 * first item that differs. `read` must depend on the item alone.
 */
export function readEach<Item, Read>(read: (item: Item) => Read): (items: readonly Item[]) => readonly Read[] {
  // One cache entry per conversation, by its first item: an entry per item would cost more than reading a few items again.
  const cache = new WeakMap<WeakKey, ReadList<Item, Read>>();
  return (items) => {
    const first: unknown = items[0];
    const earlier = isWeakKey(first) ? cache.get(first) : undefined;
    const shared = sharedCount(earlier?.items, items);
    const reads = earlier?.reads.slice(0, shared) ?? [];
    for (const item of items.slice(shared)) reads.push(read(item));
    if (earlier !== undefined) noteGrown(reads, earlier.reads, shared);
    if (isWeakKey(first)) cache.set(first, { items, reads });
    return reads;
  };
}

/** Returns a function that says whether any item of a list passes the test. It tests only the items that an earlier list did not share. */
export function someItem<Item>(isSuch: (item: Item) => boolean): (items: readonly Item[]) => boolean {
  /** Lists in which no item passes. */
  const cache = new WeakMap<WeakKey, readonly Item[]>();
  return (items) => {
    const first: unknown = items[0];
    const earlier = isWeakKey(first) ? cache.get(first) : undefined;
    if (items.slice(sharedCount(earlier, items)).some(isSuch)) return true;
    if (isWeakKey(first)) cache.set(first, items);
    return false;
  };
}

/**
 * Returns a function that reads a list into one value. Where a list continues an earlier one, `extend` adds only the new items to the earlier
 * value; any other list is read from its first item, starting with `nothing`.
 */
export function readGrowth<Item, Read>(
  nothing: Read,
  extend: (earlier: Read, added: readonly Item[], all: readonly Item[]) => Read,
): (items: readonly Item[]) => Read {
  const cache = new WeakMap<WeakKey, { readonly items: readonly Item[]; readonly read: Read }>();
  return (items) => {
    const first: unknown = items[0];
    const earlier = isWeakKey(first) ? cache.get(first) : undefined;
    if (earlier?.items === items) return earlier.read;
    const isGrown = earlier !== undefined && sharedCount(earlier.items, items) === earlier.items.length;
    const read = isGrown
      ? extend(earlier.read, items.slice(earlier.items.length), items)
      : extend(nothing, items, items);
    if (isWeakKey(first)) cache.set(first, { items, read });
    return read;
  };
}

/** The length of the common prefix of both lists, compared by identity. */
function sharedCount(earlier: readonly unknown[] | undefined, items: readonly unknown[]): number {
  if (earlier === undefined) return 0;
  if (earlier === items) return earlier.length;
  const lineage = lineages.get(items);
  if (lineage?.before !== undefined && lineage.before === lineages.get(earlier)?.number) return lineage.shared;
  const most = Math.min(earlier.length, items.length);
  let count = 0;
  while (count < most && earlier[count] === items[count]) count++;
  return count;
}

/** An item at which grouping can be resumed: it begins a group, and `groupCount` groups are complete before it. */
interface Resumption {
  readonly index: number;
  readonly groupCount: number;
}

/** The groups of a list, and where grouping can be resumed. */
interface GroupedList<Item, Group> {
  readonly items: readonly Item[];
  readonly groups: readonly Group[];
  readonly resumptions: readonly Resumption[];
  readonly group: GroupItems<Item, Group>;
}

/** Collects groups as they are completed. */
export interface GroupList<Group> {
  add(group: Group): void;
  /** Marks an item that begins a group whatever follows it. All groups before it must have been added. */
  resumable(index: number): void;
}

/** Groups the items from `start` on, which is 0 or an item that was marked `resumable`. */
export type GroupItems<Item, Group> = (items: readonly Item[], start: number, list: GroupList<Group>) => void;

/**
 * Returns a function that groups lists of items. A list that begins with the items of an earlier list is only grouped from the last resumable
 * item that they share. `begin` is called once per conversation: the function that it returns may keep state of that conversation.
 */
export function groupEach<Item, Group>(
  begin: () => GroupItems<Item, Group>,
): (items: readonly Item[]) => readonly Group[] {
  const cache = new WeakMap<WeakKey, GroupedList<Item, Group>>();
  return (items) => {
    const first: unknown = items[0];
    const earlier = isWeakKey(first) ? cache.get(first) : undefined;
    const grouped = groupFrom(earlier ?? { items: [], groups: [], resumptions: [], group: begin() }, items);
    if (isWeakKey(first)) cache.set(first, grouped);
    return grouped.groups;
  };
}

function groupFrom<Item, Group>(earlier: GroupedList<Item, Group>, items: readonly Item[]): GroupedList<Item, Group> {
  const shared = sharedCount(earlier.items, items);
  const last = earlier.resumptions.findLastIndex(({ index }) => index < shared);
  const { index: start, groupCount } = earlier.resumptions[last] ?? { index: 0, groupCount: 0 };
  const groups = earlier.groups.slice(0, groupCount);
  const resumptions = earlier.resumptions.slice(0, last + 1);
  earlier.group(items, start, {
    add: (group) => groups.push(group),
    resumable: (index) => {
      if (index > start) resumptions.push({ index, groupCount: groups.length });
    },
  });
  noteGrown(groups, earlier.groups, groupCount);
  return { items, groups, resumptions, group: earlier.group };
}

function isWeakKey(value: unknown): value is WeakKey {
  return typeof value === "object" && value !== null;
}
