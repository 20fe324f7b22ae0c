import { createTrieEdges, type TrieEdges } from "./trie-edges.ts";
import { NO_TOKEN, SINGLE_BYTES, type Vocabulary } from "./vocabulary.ts";

/** All tokens by their bytes. */
export interface TokenTrie {
  /** The longest token that `bytes` holds between `start` and `end`, which must differ. */
  longestToken(bytes: Uint8Array, start: number, end: number): number;
  /** For each token the longest shorter one that it begins with, or {@link NO_TOKEN}. */
  readonly shorterToken: Int32Array;
}

/** A node stands for bytes that begin some token. That of a single byte has the byte as its number. */
interface Nodes {
  count: number;
  readonly edges: TrieEdges;
  readonly parent: Int32Array;
  readonly lastByte: Uint8Array;
  /** The token that a node spells in full, or {@link NO_TOKEN}. */
  readonly token: Int32Array;
}

const MAX_NODES = 1 << 19;

export function buildTokenTrie(vocabulary: Vocabulary): TokenTrie {
  const nodes = createNodes();
  const nodeOfToken = addTokens(nodes, vocabulary);
  const tokenAbove = findTokensAbove(nodes);
  const { edges, token: tokenOfNode } = nodes;
  const inter = edges.nodes;
  for (let n = 0; n < nodes.count; n++) inter[2 * n + 1] = tokenOfNode[n] ?? -1;
  return {
    shorterToken: nodeOfToken.map((node) => tokenAbove[node] ?? NO_TOKEN),
    longestToken(bytes, start, end) {
      let node = bytes[start] ?? 0;
      let longest = node;
      for (let at = start + 1; at < end; at++) {
        node = edges.child(node, bytes[at] ?? 0);
        if (node === 0) break;
        const token = inter[2 * node + 1] ?? NO_TOKEN;
        if (token !== NO_TOKEN) longest = token;
      }
      return longest;
    },
  };
}

function createNodes(): Nodes {
  const lastByte = new Uint8Array(MAX_NODES);
  const token = new Int32Array(MAX_NODES).fill(NO_TOKEN);
  for (let byte = 0; byte < SINGLE_BYTES; byte++) {
    lastByte[byte] = byte;
    token[byte] = byte;
  }
  return { count: SINGLE_BYTES, edges: createTrieEdges(), parent: new Int32Array(MAX_NODES), lastByte, token };
}

/** Adds each token below the node of its left part, and returns the nodes of all. */
function addTokens(nodes: Nodes, { size, left, right, byteLength }: Vocabulary): Int32Array {
  const nodeOfToken = new Int32Array(size);
  for (let byte = 0; byte < SINGLE_BYTES; byte++) nodeOfToken[byte] = byte;
  const suffix = new Uint8Array(256);
  for (let token = SINGLE_BYTES; token < size; token++) {
    const rightToken = right[token] ?? 0;
    const suffixLength = byteLength[rightToken] ?? 0;
    for (let at = suffixLength - 1, source = nodeOfToken[rightToken] ?? 0; at >= 0; at--) {
      suffix[at] = nodes.lastByte[source] ?? 0;
      source = nodes.parent[source] ?? 0;
    }
    let node = nodeOfToken[left[token] ?? 0] ?? 0;
    for (let at = 0; at < suffixLength; at++) node = childOrNew(nodes, node, suffix[at] ?? 0);
    nodes.token[node] = token;
    nodeOfToken[token] = node;
  }
  return nodeOfToken;
}

function childOrNew(nodes: Nodes, node: number, byte: number): number {
  const known = nodes.edges.child(node, byte);
  if (known !== 0) return known;
  const added = nodes.count++;
  nodes.edges.add(node, byte, added);
  nodes.parent[added] = node;
  nodes.lastByte[added] = byte;
  return added;
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
