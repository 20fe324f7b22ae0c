import type { Pause } from "../../../core/ports/pacer.ts";
import type { StoredBlob } from "../../../core/ports/store.ts";
import { type BodyCut, cutBodyInSteps, piecesOf } from "../../../core/requests/cut-body.ts";
import { groupRefs, type PieceRef, sumBytes, writeNode } from "../../../core/requests/piece-tree.ts";
import type { KeptBody } from "../../../core/statement/request-record.ts";
import { runPaced } from "../../run-paced.ts";
import { type BlobTools, blobTools, encodeBlob } from "./blobs.ts";
import type { SentBody } from "./sent-request.ts";

/** A reference to a body for its request's record, and the blobs that the store may not have yet. */
export interface KeptRequest {
  readonly body: KeptBody;
  readonly blobs: readonly StoredBlob[];
}

/** Cuts the bodies of a session's requests into blobs, each of which is kept once. Where a body begins as the one before, only the rest is cut and hashed. */
export interface BodyKeeper {
  /** Undefined on a platform without synchronous hashes and compression. Call it for one body at a time. */
  keep(sent: SentBody): Promise<KeptRequest | undefined>;
}

/** Of larger bodies, only the newest few of all sessions are kept in memory to compare the next ones with. Others are cut and hashed anew. */
const LARGE_BYTES = 4 * 1024 ** 2;
const MOST_LARGE_BYTES = 64 * 1024 ** 2;
/** How many bytes are hashed and deflated between two pauses: less than a millisecond of work. */
const BYTES_PER_STEP = 16_384;
/** How many nodes are hashed between two pauses: about as much work. */
const NODES_PER_STEP = 64;
/** How many names of blobs are remembered as kept. Beyond that, some blobs are written again. */
const MOST_REMEMBERED_NAMES = 50_000;

interface Remembered {
  readonly bytes: Uint8Array;
  readonly cuts: readonly BodyCut[];
  /** The pieces, and the nodes of each level above them. */
  readonly levels: readonly (readonly PieceRef[])[];
}

const NOTHING: Remembered = { bytes: new Uint8Array(), cuts: [], levels: [] };

/** The large bodies that are remembered, the one that was used last at the end. */
const large = createLargeBodies();

function createLargeBodies() {
  const bytesBy = new Map<() => void, number>();
  let total = 0;
  function drop(forget: () => void): void {
    total -= bytesBy.get(forget) ?? 0;
    bytesBy.delete(forget);
  }
  return {
    /** Says how large the body is that `forget` forgets; 0 where it is not large. */
    note(forget: () => void, bytes: number): void {
      drop(forget);
      if (bytes === 0) return;
      bytesBy.set(forget, bytes);
      total += bytes;
      for (const oldest of bytesBy.keys()) {
        if (total <= MOST_LARGE_BYTES) return;
        drop(oldest);
        oldest();
      }
    },
  };
}

/** Calls `pause` between the steps of keeping a large body: a first one of 4 MB takes 160 ms. */
export function createBodyKeeper(pause: Pause): BodyKeeper {
  let last = NOTHING;
  const keptNames = new Set<string>();
  const forget = () => {
    last = NOTHING;
  };
  return {
    keep: async ({ bytes, wire, isAsItCame = false }) => {
      const tools = blobTools();
      if (tools === undefined) return undefined;
      const shared = tools.sharedBytes(last.bytes, bytes);
      const cuts = await runPaced(cutBodyInSteps(bytes, { known: last.cuts, sharedBytes: shared }), pause);
      const blobs: StoredBlob[] = [];
      const add = (content: Uint8Array, deflate?: BlobTools["deflate"]): string => {
        const name = tools.nameOf(content);
        if (keptNames.has(name)) return name;
        if (keptNames.size >= MOST_REMEMBERED_NAMES) keptNames.clear();
        keptNames.add(name);
        blobs.push({ name, bytes: encodeBlob(content, deflate) });
        return name;
      };
      const addPiece = (piece: Uint8Array) => add(piece, tools.deflate);
      // Not deflated: a node is a list of hashes, which shrink by a quarter only, and deflating would take most of the time.
      const addNode = (node: Uint8Array) => add(node);
      const levels = [await refsOf(bytes, cuts, { last, shared, add: addPiece, pause })];
      for (let top = levels[0] ?? []; top.length > 1; top = levels.at(-1) ?? []) {
        const under = last.levels[levels.length - 1];
        levels.push(await nodesOver(top, last.levels[levels.length], { under, add: addNode, pause }));
      }
      last = { bytes, cuts, levels };
      large.note(forget, bytes.length > LARGE_BYTES ? bytes.length : 0);
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

/** References to the pieces of a body. A piece within the common prefix of this body and the last one is the same as there. */
async function refsOf(
  bytes: Uint8Array,
  cuts: readonly BodyCut[],
  { last, shared, add, pause }: PieceContext,
): Promise<readonly PieceRef[]> {
  const [known = []] = last.levels;
  const refs: PieceRef[] = [];
  let stepBytes = 0;
  let isShared = true;
  for (const { start, end } of piecesOf(bytes, cuts)) {
    const before = known[refs.length];
    isShared &&= end <= shared && before?.bytes === end - start;
    if (isShared && before !== undefined) {
      refs.push(before);
      continue;
    }
    refs.push({ name: add(bytes.subarray(start, end)), bytes: end - start });
    stepBytes += end - start;
    if (stepBytes < BYTES_PER_STEP) continue;
    stepBytes = 0;
    await pause();
  }
  return refs;
}

interface NodeContext {
  /** The references that the nodes of the last body list. */
  readonly under: readonly PieceRef[] | undefined;
  readonly add: (content: Uint8Array) => string;
  readonly pause: Pause;
}

/** The nodes over some references. A node that lists the same references as in the last body is the same as there. */
async function nodesOver(
  refs: readonly PieceRef[],
  known: readonly PieceRef[] | undefined,
  { under = [], add, pause }: NodeContext,
): Promise<readonly PieceRef[]> {
  const before = groupRefs(under);
  const nodes: PieceRef[] = [];
  let made = 0;
  for (const [index, group] of groupRefs(refs).entries()) {
    const node = known?.[index];
    const listed = before[index];
    const isSame = listed?.length === group.length && group.every(({ name }, at) => name === listed[at]?.name);
    if (node !== undefined && isSame) {
      nodes.push(node);
      continue;
    }
    nodes.push({ name: add(new TextEncoder().encode(writeNode(group))), bytes: sumBytes(group) });
    made += 1;
    if (made % NODES_PER_STEP === 0) await pause();
  }
  return nodes;
}
