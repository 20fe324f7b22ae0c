import type { StoredBlob } from "../../../core/ports/store.ts";
import { type BodyCut, cutBody, piecesOf } from "../../../core/requests/cut-body.ts";
import { groupRefs, type PieceRef, sumBytes, writeNode } from "../../../core/requests/piece-tree.ts";
import type { KeptBody } from "../../../core/statement/request-record.ts";
import type { SentBody } from "../session.ts";
import { blobTools, encodeBlob, nameOf } from "./blobs.ts";

/** A body as its request's record names it, and the blobs that its session may not have yet. */
export interface KeptRequest {
  readonly body: KeptBody;
  readonly blobs: readonly StoredBlob[];
}

/** Keeps the bodies of a session's requests, each piece of them once. Of a body that goes on where the one before ended, only what is new is looked at. */
export interface BodyKeeper {
  /** Undefined on a platform without what it takes: SHA-256 and deflate that answer at once. */
  keep(sent: SentBody): KeptRequest | undefined;
}

/** Larger bodies are not remembered: they are cut and hashed anew each time. Many sessions are open at once. */
const MOST_REMEMBERED_BYTES = 4 * 1024 ** 2;
/** Of blobs that were given to the session already; of more, some are given to it again. */
const MOST_REMEMBERED_NAMES = 50_000;

interface Remembered {
  readonly bytes: Uint8Array;
  readonly cuts: readonly BodyCut[];
  /** The pieces, and the nodes of each level above them. */
  readonly levels: readonly (readonly PieceRef[])[];
}

const NOTHING: Remembered = { bytes: new Uint8Array(), cuts: [], levels: [] };

export function createBodyKeeper(): BodyKeeper {
  let last = NOTHING;
  const given = new Set<string>();
  return {
    keep: ({ bytes, wire, isAsItCame = false }) => {
      const tools = blobTools();
      if (tools === undefined) return undefined;
      const shared = tools.sharedBytes(last.bytes, bytes);
      const cuts = cutBody(bytes, last.cuts, shared);
      const blobs: StoredBlob[] = [];
      const add = (content: Uint8Array): string => {
        const name = nameOf(content, tools);
        if (given.has(name)) return name;
        if (given.size >= MOST_REMEMBERED_NAMES) given.clear();
        given.add(name);
        blobs.push({ name, bytes: encodeBlob(content, tools) });
        return name;
      };
      const pieces = piecesOf(bytes, cuts);
      const levels = [refsOf(pieces, { last, shared, add })];
      for (let top = levels[0] ?? []; top.length > 1; top = levels.at(-1) ?? []) {
        levels.push(nodesOver(top, last.levels[levels.length], { under: last.levels[levels.length - 1], add }));
      }
      last = bytes.length <= MOST_REMEMBERED_BYTES ? { bytes, cuts, levels } : NOTHING;
      const root = levels.at(-1)?.[0]?.name ?? "";
      const body = { wire, bytes: bytes.length, root, levels: levels.length - 1, isAsItCame };
      return { body, blobs };
    },
  };
}

interface PieceContext {
  readonly last: Remembered;
  readonly shared: number;
  readonly add: (content: Uint8Array) => string;
}

/** A piece that ends within what both bodies begin with is the same one. */
function refsOf(pieces: readonly Uint8Array[], { last, shared, add }: PieceContext): readonly PieceRef[] {
  const [known = []] = last.levels;
  let end = 0;
  let isShared = true;
  return pieces.map((piece, index) => {
    end += piece.length;
    const before = known[index];
    isShared &&= end <= shared && before?.bytes === piece.length;
    return isShared && before !== undefined ? before : { name: add(piece), bytes: piece.length };
  });
}

interface NodeContext {
  /** What the known nodes list. */
  readonly under: readonly PieceRef[] | undefined;
  readonly add: (content: Uint8Array) => string;
}

/** The nodes over some refs; one that lists what it did in the body before is the same one. */
function nodesOver(
  refs: readonly PieceRef[],
  known: readonly PieceRef[] | undefined,
  { under = [], add }: NodeContext,
): readonly PieceRef[] {
  const before = groupRefs(under);
  return groupRefs(refs).map((group, index) => {
    const node = known?.[index];
    const listed = before[index];
    const isSame = listed?.length === group.length && group.every(({ name }, at) => name === listed[at]?.name);
    if (node !== undefined && isSame) return node;
    return { name: add(new TextEncoder().encode(writeNode(group))), bytes: sumBytes(group) };
  });
}
