/** The children of trie nodes, by byte. Nodes are numbered below 2^19, and a child is never 0. */
export interface TrieEdges {
  /** The child of `node` under `byte`, or 0 where there is none. */
  nodes: Int32Array;
  child(node: number, byte: number): number;
  add(node: number, byte: number, child: number): void;
}

const MAX_NODES = 1 << 19;
const SLOT_BITS = 18;
const LAST_SLOT = (1 << SLOT_BITS) - 1;
const HAS_MORE = 0x80000000;

export function createTrieEdges(): TrieEdges {
  // most nodes have one child or none, which takes no hashing to find: `child << 8 | byte`, negative if there are more
  const nodes = new Int32Array(2 * MAX_NODES);
  // open addressing: key and child side by side, both 0 in a free slot
  const edges = new Int32Array(2 << SLOT_BITS);

  const keyOf = (node: number, byte: number) => ((node << 8) | byte) + 1;
  const indexOf = (key: number) => {
    let slot = Math.imul(key, 0x9e3779b1) >>> (32 - SLOT_BITS);
    while (edges[2 * slot] !== key && edges[2 * slot] !== 0) slot = (slot + 1) & LAST_SLOT;
    return 2 * slot;
  };

  return {
    nodes,
    child(node, byte) {
      const first = nodes[2 * node] ?? 0;
      if ((first & 0xff) === byte) return (first & ~HAS_MORE) >> 8;
      return first < 0 ? (edges[indexOf(keyOf(node, byte)) + 1] ?? 0) : 0;
    },
    add(node, byte, child) {
      const first = nodes[2 * node] ?? 0;
      if (first === 0) {
        nodes[2 * node] = (child << 8) | byte;
        return;
      }
      nodes[2 * node] = first | HAS_MORE;
      const key = keyOf(node, byte);
      const index = indexOf(key);
      edges[index] = key;
      edges[index + 1] = child;
    },
  };
}
