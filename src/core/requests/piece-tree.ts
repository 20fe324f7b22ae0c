/** A reference to a piece of a body, or to a node that lists pieces or other nodes. */
export interface PieceRef {
  /** A hash of the piece or the node. */
  readonly name: string;
  /** How many bytes of the body it covers. */
  readonly bytes: number;
}

/** The fan-out of a node. Of a request that only adds to the one before it, one node per level must be written again. */
export const PIECES_PER_NODE = 32;

/** Serializes a node. */
export function writeNode(refs: readonly PieceRef[]): string {
  return refs.map(({ name, bytes }) => `${name} ${bytes}`).join("\n");
}

/** Parses a node; undefined where the text is none. */
export function readNode(text: string): readonly PieceRef[] | undefined {
  const refs = text.split("\n").map((line): PieceRef | undefined => {
    const [name = "", size = "", ...rest] = line.split(" ");
    const bytes = Number(size);
    const isRef = name !== "" && /^\d{1,15}$/.test(size) && rest.length === 0;
    return isRef ? { name, bytes } : undefined;
  });
  return refs.every((ref) => ref !== undefined) ? refs : undefined;
}

/** Groups the refs of one level into the nodes of the next one. */
export function groupRefs(refs: readonly PieceRef[]): readonly (readonly PieceRef[])[] {
  const groups: (readonly PieceRef[])[] = [];
  for (let start = 0; start < refs.length; start += PIECES_PER_NODE) {
    groups.push(refs.slice(start, start + PIECES_PER_NODE));
  }
  return groups;
}

export function sumBytes(refs: readonly PieceRef[]): number {
  return refs.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The common prefix of two lists of refs: how many refs, and how many bytes of the bodies they cover. */
export function sharedRefs(one: readonly PieceRef[], other: readonly PieceRef[]): { count: number; bytes: number } {
  let [count, bytes] = [0, 0];
  for (const [index, { name, bytes: size }] of one.entries()) {
    if (other[index]?.name !== name) break;
    count = index + 1;
    bytes += size;
  }
  return { count, bytes };
}
