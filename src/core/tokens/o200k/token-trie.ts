import { NO_TOKEN, SINGLE_BYTES, type Vocabulary } from "./vocabulary.ts";

/** All tokens by their bytes. */
export interface TokenTrie {
  /** The longest token that `bytes` holds between `start` and `end`, which must differ. */
  longestToken(bytes: Uint8Array, start: number, end: number): number;
  /** For each token the longest shorter one that it begins with, or {@link NO_TOKEN}. */
  readonly shorterToken: Int32Array;
}

/** A node is a sequence of bytes that begins some token. That of a single byte has the byte as its number. */
interface Nodes {
  count: number;
  readonly parent: Int32Array;
  readonly lastByte: Uint8Array;
  readonly token: Int32Array;
  /** The node one byte longer, or 0 where there is none. */
  child(node: number, byte: number): number;
  addChild(node: number, byte: number): number;
}

const MAX_NODES = 1 << 19;
const EDGE_SLOT_BITS = 20;

export function buildTokenTrie(vocabulary: Vocabulary): TokenTrie {
  const nodes = createNodes();
  const nodeOfToken = addTokens(nodes, vocabulary);
  const tokenAbove = findTokensAbove(nodes);
  const { child, token: tokenAtNode } = nodes;
  return {
    shorterToken: nodeOfToken.map((node) => tokenAbove[node] ?? NO_TOKEN),
    longestToken(bytes, start, end) {
      let node = bytes[start] ?? 0;
      let longest = node;
      for (let at = start + 1; at < end; at++) {
        node = child(node, bytes[at] ?? 0);
        if (node === 0) break;
        const token = tokenAtNode[node] ?? NO_TOKEN;
        if (token !== NO_TOKEN) longest = token;
      }
      return longest;
    },
  };
}

function createNodes(): Nodes {
  const parent = new Int32Array(MAX_NODES);
  const lastByte = Uint8Array.from({ length: MAX_NODES }, (_, node) => (node < SINGLE_BYTES ? node : 0));
  const token = new Int32Array(MAX_NODES).fill(NO_TOKEN);
  for (let byte = 0; byte < SINGLE_BYTES; byte++) token[byte] = byte;

  // most nodes have one child or none, which is found without hashing: child and byte, negative if there are more
  const firstEdge = new Int32Array(MAX_NODES);
  // open addressing: key and child side by side, both 0 in a free slot
  const edges = new Int32Array(2 << EDGE_SLOT_BITS);
  const keyOf = (node: number, byte: number) => ((node << 8) | byte) + 1;
  const slotOf = (key: number) => {
    let slot = (Math.imul(key, 0x9e3779b1) >>> (32 - EDGE_SLOT_BITS)) << 1;
    while (edges[slot] !== key && edges[slot] !== 0) slot = (slot + 2) & ((2 << EDGE_SLOT_BITS) - 1);
    return slot;
  };
  const child = (node: number, byte: number) => {
    const edge = firstEdge[node] ?? 0;
    if ((edge & 0xff) === byte) return (edge & 0x7fffffff) >> 8;
    return edge < 0 ? (edges[slotOf(keyOf(node, byte)) + 1] ?? 0) : 0;
  };

  const nodes: Nodes = {
    count: SINGLE_BYTES,
    parent,
    lastByte,
    token,
    child,
    addChild(node, byte) {
      const key = keyOf(node, byte);
      const slot = slotOf(key);
      if (edges[slot] === key) return edges[slot + 1] ?? 0;
      const added = nodes.count++;
      edges[slot] = key;
      edges[slot + 1] = added;
      const edge = firstEdge[node] ?? 0;
      firstEdge[node] = edge === 0 ? (added << 8) | byte : edge | 0x80000000;
      parent[added] = node;
      lastByte[added] = byte;
      return added;
    },
  };
  return nodes;
}

/** Adds every token below the node of its left part and returns the node of each. */
function addTokens(nodes: Nodes, { size, left, right, byteLength }: Vocabulary): Int32Array {
  const nodeOfToken = Int32Array.from({ length: size }, (_, token) => (token < SINGLE_BYTES ? token : 0));
  const suffix = new Uint8Array(256);
  for (let token = SINGLE_BYTES; token < size; token++) {
    const rightToken = right[token] ?? 0;
    const suffixLength = byteLength[rightToken] ?? 0;
    let source = nodeOfToken[rightToken] ?? 0;
    for (let at = suffixLength - 1; at >= 0; at--) {
      suffix[at] = nodes.lastByte[source] ?? 0;
      source = nodes.parent[source] ?? 0;
    }
    let node = nodeOfToken[left[token] ?? 0] ?? 0;
    for (let at = 0; at < suffixLength; at++) node = nodes.addChild(node, suffix[at] ?? 0);
    nodes.token[node] = token;
    nodeOfToken[token] = node;
  }
  return nodeOfToken;
}

/** For each node the longest token that is shorter than it and begins it. */
function findTokensAbove({ count, parent, token }: Nodes): Int32Array {
  const tokenAbove = new Int32Array(count).fill(NO_TOKEN, 0, SINGLE_BYTES);
  // parents are numbered before their children
  for (let node = SINGLE_BYTES; node < count; node++) {
    const above = parent[node] ?? 0;
    const tokenAtParent = token[above] ?? NO_TOKEN;
    tokenAbove[node] = tokenAtParent === NO_TOKEN ? (tokenAbove[above] ?? NO_TOKEN) : tokenAtParent;
  }
  return tokenAbove;
}
