import { NO_TOKEN } from "./vocabulary.ts";

/** The nodes of a trie, each standing for bytes that begin some token; the node of a single byte is that byte. */
export interface TrieNodes {
  /** The node one byte longer, or 0 where there is none. */
  child(node: number, byte: number): number;
  addChild(node: number, byte: number, child: number): void;
  /** The token that `node` spells in full, or {@link NO_TOKEN}. */
  token(node: number): number;
  setToken(node: number, token: number): void;
}

export const MAX_NODES = 1 << 19;

const SLOT_BITS = 18;
const LAST_SLOT = (1 << SLOT_BITS) - 1;
const HAS_MORE = 1 << 31;

export function createTrieNodes(): TrieNodes {
  // first child and token side by side. Most nodes have one child or none, which takes no hashing to find: it is stored
  // as `child << 8 | byte`, negative if there are more
  const nodes = new Int32Array(2 * MAX_NODES);
  for (let node = 0; node < MAX_NODES; node++) nodes[2 * node + 1] = NO_TOKEN;
  // all children but the first, by open addressing: key and child side by side, both 0 in a free slot
  const edges = new Int32Array(2 << SLOT_BITS);

  const keyOf = (node: number, byte: number) => ((node << 8) | byte) + 1;
  const indexOf = (key: number) => {
    let slot = Math.imul(key, 0x9e3779b1) >>> (32 - SLOT_BITS);
    while (edges[2 * slot] !== key && edges[2 * slot] !== 0) slot = (slot + 1) & LAST_SLOT;
    return 2 * slot;
  };

  return {
    child(node, byte) {
      const first = nodes[2 * node] ?? 0;
      if ((first & 0xff) === byte) return (first & ~HAS_MORE) >> 8;
      return first < 0 ? (edges[indexOf(keyOf(node, byte)) + 1] ?? 0) : 0;
    },
    addChild(node, byte, child) {
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
    token: (node) => nodes[2 * node + 1] ?? NO_TOKEN,
    setToken(node, token) {
      nodes[2 * node + 1] = token;
    },
  };
}
