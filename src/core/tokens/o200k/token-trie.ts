import { createTrieNodes, MAX_NODES, type TrieNodes } from "./trie-nodes.ts";
import { NO_TOKEN, SINGLE_BYTES, type Vocabulary } from "./vocabulary.ts";

/** All tokens by their bytes. */
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

/** Adds every token: from the node of its left part on, spelling its right part as that was spelled before. */
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
