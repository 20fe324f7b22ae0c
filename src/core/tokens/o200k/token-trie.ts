import { NO_TOKEN, SINGLE_BYTES, type Vocabulary } from "./vocabulary.ts";

/** Finds tokens by their bytes. */
export interface TokenTrie {
  /** The longest token that `bytes` holds between `start` and `end`, which must differ. */
  longestToken(bytes: Uint8Array, start: number, end: number): number;
  /** For each token the longest shorter one that it begins with, or {@link NO_TOKEN}. */
  readonly shorterToken: Int32Array;
}

export function buildTokenTrie(vocabulary: Vocabulary): TokenTrie {
  const nodes = createTrieNodes();
  const spelled = spellTokens(nodes, vocabulary);
  return {
    shorterToken: findShorterTokens(nodes, spelled),
    longestToken(bytes, start, end) {
      let node = bytes[start] ?? 0;
      let longest = node;
      for (let at = start + 1; at < end; at++) {
        node = nodes.child(node, bytes[at] ?? 0);
        if (node === 0) break;
        const token = nodes.token(node);
        if (token !== NO_TOKEN) longest = token;
      }
      return longest;
    },
  };
}

interface SpelledTokens {
  readonly nodeOfToken: Int32Array;
  readonly nodeCount: number;
  readonly parent: Int32Array;
}

/** Adds every token to the trie: starts at the node of its left part and adds the bytes of its right part, which is in the trie already. */
function spellTokens(nodes: TrieNodes, { size, left, right, byteLength }: Vocabulary): SpelledTokens {
  const nodeOfToken = new Int32Array(size);
  const parent = new Int32Array(MAX_NODES);
  const lastByte = new Uint8Array(MAX_NODES);
  for (let byte = 0; byte < SINGLE_BYTES; byte++) {
    nodeOfToken[byte] = byte;
    lastByte[byte] = byte;
    nodes.setToken(byte, byte);
  }
  let nodeCount = SINGLE_BYTES;
  const spelling = new Uint8Array(256);
  for (let token = SINGLE_BYTES; token < size; token++) {
    const suffix = right[token] ?? 0;
    const length = byteLength[suffix] ?? 0;
    for (let at = length - 1, source = nodeOfToken[suffix] ?? 0; at >= 0; at--) {
      spelling[at] = lastByte[source] ?? 0;
      source = parent[source] ?? 0;
    }
    let node = nodeOfToken[left[token] ?? 0] ?? 0;
    for (let at = 0; at < length; at++) {
      const byte = spelling[at] ?? 0;
      const child = nodes.child(node, byte) || nodeCount;
      if (child === nodeCount) {
        nodes.addChild(node, byte, child);
        parent[child] = node;
        lastByte[child] = byte;
        nodeCount++;
      }
      node = child;
    }
    nodes.setToken(node, token);
    nodeOfToken[token] = node;
  }
  return { nodeOfToken, nodeCount, parent };
}

function findShorterTokens(nodes: TrieNodes, { nodeOfToken, nodeCount, parent }: SpelledTokens): Int32Array {
  // parents are numbered before their children, so one pass hands down the longest token above each node
  const tokenAbove = new Int32Array(nodeCount).fill(NO_TOKEN, 0, SINGLE_BYTES);
  for (let node = SINGLE_BYTES; node < nodeCount; node++) {
    const above = parent[node] ?? 0;
    const tokenOfParent = nodes.token(above);
    tokenAbove[node] = tokenOfParent === NO_TOKEN ? (tokenAbove[above] ?? NO_TOKEN) : tokenOfParent;
  }
  return nodeOfToken.map((node) => tokenAbove[node] ?? NO_TOKEN);
}

/** The nodes of a trie, each standing for bytes that begin some token; the node of a single byte is that byte. */
interface TrieNodes {
  /** The node one byte longer, or 0 where there is none. */
  child(node: number, byte: number): number;
  addChild(node: number, byte: number, child: number): void;
  /** The token that `node` spells in full, or {@link NO_TOKEN}. */
  token(node: number): number;
  setToken(node: number, token: number): void;
}

const MAX_NODES = 1 << 19;

const SLOT_BITS = 18;
const LAST_SLOT = (1 << SLOT_BITS) - 1;
const HAS_MORE = 1 << 31;

function createTrieNodes(): TrieNodes {
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
