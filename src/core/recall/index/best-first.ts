/** The items from the best to the worst. Ordering costs only as much as is taken, for most of many are never asked for. */
export function* bestFirst<Item>(
  items: readonly Item[],
  isBetter: (one: Item, other: Item) => boolean,
): Generator<Item> {
  const heap = [...items];
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, at, isBetter);
  while (heap.length > 0) {
    const [best] = heap;
    const last = heap.pop();
    if (best === undefined || last === undefined) return;
    if (heap.length > 0) {
      heap[0] = last;
      sink(heap, 0, isBetter);
    }
    yield best;
  }
}

/** Moves an item down until none below it is better. */
function sink<Item>(heap: Item[], from: number, isBetter: (one: Item, other: Item) => boolean): void {
  for (let at = from; ; ) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const item = heap[at];
    if (left === undefined || item === undefined) return;
    const isRight = right !== undefined && isBetter(right, left);
    const child = isRight ? right : left;
    if (!isBetter(child, item)) return;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
    heap[at] = item;
  }
}
