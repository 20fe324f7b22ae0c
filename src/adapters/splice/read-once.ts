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
 * on the item and its index alone.
 */
export function readEach<Item, Read>(
  read: (item: Item, index: number) => Read,
): (items: readonly Item[]) => readonly Read[] {
  // One entry for a conversation, by its first item: an entry for each item would cost more than reading some.
  const known = new WeakMap<WeakKey, KnownList<Item, Read>>();
  return (items) => {
    const first: unknown = items[0];
    if (!isWeakKey(first)) return items.map(read);
    const reads = readFrom(known.get(first), items, read);
    known.set(first, { items, reads });
    return reads;
  };
}

function readFrom<Item, Read>(
  before: KnownList<Item, Read> | undefined,
  items: readonly Item[],
  read: (item: Item, index: number) => Read,
): readonly Read[] {
  if (before === undefined) return items.map(read);
  const most = Math.min(before.items.length, items.length);
  let shared = 0;
  while (shared < most && before.items[shared] === items[shared]) shared++;
  return [...before.reads.slice(0, shared), ...items.slice(shared).map((item, offset) => read(item, shared + offset))];
}

/** What was made of some items of a list. */
interface KnownGroup<Item, Group> {
  readonly items: readonly Item[];
  readonly indexes: readonly number[];
  readonly group: Group;
}

export type MakeGroup<Item, Group> = (items: readonly Item[], indexes: readonly number[]) => Group;

/** Makes something of several items of a list; of the same items in the same places, the same as before. */
export function groupOnce<Item, Group>(make: MakeGroup<Item, Group>): MakeGroup<Item, Group> {
  const known = new WeakMap<WeakKey, KnownGroup<Item, Group>>();
  return (all, indexes) => {
    const first: unknown = all[indexes[0] ?? -1];
    if (!isWeakKey(first)) return make(all, indexes);
    const before = known.get(first);
    if (before !== undefined && isSameGroup(before, all, indexes)) return before.group;
    const group = make(all, indexes);
    known.set(first, { items: indexes.flatMap((index) => all.slice(index, index + 1)), indexes, group });
    return group;
  };
}

function isSameGroup<Item>(
  { items, indexes: known }: KnownGroup<Item, unknown>,
  all: readonly Item[],
  indexes: readonly number[],
): boolean {
  if (known.length !== indexes.length) return false;
  for (let position = 0; position < known.length; position++) {
    const index = known[position];
    if (index === undefined || index !== indexes[position] || items[position] !== all[index]) return false;
  }
  return true;
}

function isWeakKey(value: unknown): value is WeakKey {
  return typeof value === "object" && value !== null;
}
