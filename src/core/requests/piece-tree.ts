/** A piece of a body, or a node that lists some of them: by its name, which is made of its bytes, and how much of the body it stands for. */
export interface PieceRef {
  readonly name: string;
  /** Of the body. */
  readonly bytes: number;
}

/** How many a node lists: a request that only goes on writes one node anew on each level. */
export const PIECES_PER_NODE = 32;

/** A node as it is kept. */
export function writeNode(refs: readonly PieceRef[]): string {
  return refs.map(({ name, bytes }) => `${name} ${bytes}`).join("\n");
}

/** Undefined where it is no node. */
export function readNode(text: string): readonly PieceRef[] | undefined {
  const refs = text.split("\n").map((line): PieceRef | undefined => {
    const [name = "", size = "", ...rest] = line.split(" ");
    const bytes = Number(size);
    const isRef = name !== "" && /^\d{1,15}$/.test(size) && rest.length === 0;
    return isRef ? { name, bytes } : undefined;
  });
  return refs.every((ref) => ref !== undefined) ? refs : undefined;
}

/** The refs of one level, as the nodes of the next one list them. */
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

/** How many refs at the beginning of both are the same, and how many bytes of the bodies they stand for. */
export function sharedRefs(one: readonly PieceRef[], other: readonly PieceRef[]): { count: number; bytes: number } {
  let [count, bytes] = [0, 0];
  for (const [index, { name, bytes: size }] of one.entries()) {
    if (other[index]?.name !== name) break;
    count = index + 1;
    bytes += size;
  }
  return { count, bytes };
}
