import type { Pause } from "../../../core/ports/pacer.ts";
import type { StoredBlob } from "../../../core/ports/store.ts";
import { type BodyCut, cutBody, piecesOf } from "../../../core/requests/cut-body.ts";
import { groupRefs, type PieceRef, sumBytes, writeNode } from "../../../core/requests/piece-tree.ts";
import type { KeptBody } from "../../../core/statement/request-record.ts";

import type { SentBody } from "../session.ts";
import { type BlobTools, blobTools, encodeBlob } from "./blobs.ts";

/** A body as its request's record names it, and the blobs that its session may not have yet. */
export interface KeptRequest {
  readonly body: KeptBody;
  readonly blobs: readonly StoredBlob[];
}

/** Keeps the bodies of a session's requests, each piece of them once. Of a body that goes on where the one before ended, only what is new is looked at. */
export interface BodyKeeper {
  /** Undefined on a platform without what it takes: SHA-256 and deflate that answer at once. One at a time. */
  keep(sent: SentBody): Promise<KeptRequest | undefined>;
}

/** Larger bodies are not remembered: they are cut and hashed anew each time. Many sessions are open at once. */
const MOST_REMEMBERED_BYTES = 4 * 1024 ** 2;
/** So much of a body is named and deflated before others have their turn: about 3 ms of work. */
const BYTES_PER_STEP = 65_536;
/** The names of so many blobs that were given to the session are remembered; beyond that, some are given to it again. */
const MOST_REMEMBERED_NAMES = 50_000;

interface Remembered {
  readonly bytes: Uint8Array;
  readonly cuts: readonly BodyCut[];
  /** The pieces, and the nodes of each level above them. */
  readonly levels: readonly (readonly PieceRef[])[];
}

const NOTHING: Remembered = { bytes: new Uint8Array(), cuts: [], levels: [] };

/** Calls `pause` between the steps of keeping a large body: a first one of 4 MB takes 160 ms. */
export function createBodyKeeper(pause: Pause): BodyKeeper {
  let last = NOTHING;
  const given = new Set<string>();
  return {
    keep: async ({ bytes, wire, isAsItCame = false }) => {
      const tools = blobTools();
      if (tools === undefined) return undefined;
      const shared = tools.sharedBytes(last.bytes, bytes);
      const cuts = cutBody(bytes, last.cuts, shared);
      const blobs: StoredBlob[] = [];
      const add = (content: Uint8Array, deflate?: BlobTools["deflate"]): string => {
        const name = tools.nameOf(content);
        if (given.has(name)) return name;
        if (given.size >= MOST_REMEMBERED_NAMES) given.clear();
        given.add(name);
        blobs.push({ name, bytes: encodeBlob(content, deflate) });
        return name;
      };
      const addPiece = (piece: Uint8Array) => add(piece, tools.deflate);
      // A node is a list of hashes, of which deflating takes off a quarter, and costs more than all else that is done with it.
      const addNode = (node: Uint8Array) => add(node);
      const pieces = piecesOf(bytes, cuts);
      const levels = [await refsOf(pieces, { last, shared, add: addPiece, pause })];
      for (let top = levels[0] ?? []; top.length > 1; top = levels.at(-1) ?? []) {
        const under = last.levels[levels.length - 1];
        levels.push(nodesOver(top, last.levels[levels.length], { under, add: addNode }));
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
  readonly pause: Pause;
}

/** A piece that ends within what both bodies begin with is the same one. */
async function refsOf(
  pieces: readonly Uint8Array[],
  { last, shared, add, pause }: PieceContext,
): Promise<readonly PieceRef[]> {
  const [known = []] = last.levels;
  const refs: PieceRef[] = [];
  let [end, stepBytes] = [0, 0];
  let isShared = true;
  for (const [index, piece] of pieces.entries()) {
    end += piece.length;
    const before = known[index];
    isShared &&= end <= shared && before?.bytes === piece.length;
    if (isShared && before !== undefined) {
      refs.push(before);
      continue;
    }
    refs.push({ name: add(piece), bytes: piece.length });
    stepBytes += piece.length;
    if (stepBytes < BYTES_PER_STEP) continue;
    stepBytes = 0;
    await pause();
  }
  return refs;
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
