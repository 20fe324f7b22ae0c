/** A binary heap of numbered items with the densest on top. The order of equal items depends on the order of pushing alone. */
export interface DensityHeap {
  isEmpty(): boolean;
  /** The density of the top item; minus infinity where there is none. */
  topDensity(): number;
  /** Removes the top item and returns its number; undefined where there is none. */
  pop(): number | undefined;
  push(item: number, density: number): void;
  copy(): DensityHeap;
}

/** A heap of the items 0, 1, 2 and so on, by their densities. */
export function createDensityHeap(densities: readonly number[]): DensityHeap {
  const items = Array.from(densities.keys());
  const sorted = [...densities];
  for (let index = items.length >> 1; index >= 0; index--) sink({ items, densities: sorted }, index);
  return heapOf({ items, densities: sorted });
}

/** Two arrays of numbers instead of one of objects: a heap reads a density at each step, and packing lines is mostly that. */
interface HeapArrays {
  readonly items: number[];
  /** The density of each item, in the same order. */
  readonly densities: number[];
}

function heapOf(arrays: HeapArrays): DensityHeap {
  const { items, densities } = arrays;
  return {
    isEmpty: () => items.length === 0,
    topDensity: () => densities[0] ?? Number.NEGATIVE_INFINITY,
    pop() {
      const [top] = items;
      const [last, lastDensity] = [items.pop(), densities.pop()];
      if (items.length > 0 && last !== undefined && lastDensity !== undefined) {
        items[0] = last;
        densities[0] = lastDensity;
        sink(arrays, 0);
      }
      return top;
    },
    push(item, density) {
      let index = items.push(item) - 1;
      densities.push(density);
      while (index > 0) {
        const parent = (index - 1) >> 1;
        const above = densities[parent] ?? 0;
        if (above >= density) break;
        items[index] = items[parent] ?? 0;
        densities[index] = above;
        index = parent;
      }
      items[index] = item;
      densities[index] = density;
    },
    copy: () => heapOf({ items: items.slice(), densities: densities.slice() }),
  };
}

function sink({ items, densities }: HeapArrays, start: number): void {
  const size = items.length;
  if (start >= size) return;
  const item = items[start] ?? 0;
  const density = densities[start] ?? 0;
  let index = start;
  for (let child = 2 * index + 1; child < size; child = 2 * index + 1) {
    const right = child + 1;
    if (right < size && (densities[right] ?? 0) > (densities[child] ?? 0)) child = right;
    const below = densities[child] ?? 0;
    if (below <= density) break;
    items[index] = items[child] ?? 0;
    densities[index] = below;
    index = child;
  }
  items[index] = item;
  densities[index] = density;
}
