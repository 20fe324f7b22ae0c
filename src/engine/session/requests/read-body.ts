import { PalimpsestError } from "../../../core/errors.ts";
import type { Store } from "../../../core/ports/store.ts";
import { type PieceRef, readNode, sharedRefs } from "../../../core/requests/piece-tree.ts";
import type { KeptBody } from "../../../core/statement/request-record.ts";
import { type BlobTools, blobTools, decodeBlob } from "./blobs.ts";

/** The store and the session whose request bodies are read. */
export interface BodyPlace {
  readonly store: Pick<Store, "readBlobs">;
  readonly sessionKey: number;
}

/** Part of a body, in bytes. */
export interface ByteRange {
  /** @default 0 */
  readonly from?: number | undefined;
  /** @default up to the end */
  readonly length?: number | undefined;
}

/** How many blobs one read of the store gets. */
const BLOBS_AT_ONCE = 256;

/**
 * Yields the bytes of a body as it was sent, piece by piece; only the pieces in the range are read. Throws "not-found" where a piece is
 * not in the store, and "store-damaged" where one is not what was written.
 */
export async function* readBody(
  place: BodyPlace,
  body: KeptBody,
  { from = 0, length = Number.POSITIVE_INFINITY }: ByteRange = {},
): AsyncGenerator<Uint8Array> {
  const end = Math.min(body.bytes, from + length);
  if (body.root === "" || from >= end) return;
  const reader = createBlobReader(place);
  let level: readonly PlacedRef[] = [{ name: body.root, bytes: body.bytes, start: 0 }];
  const isNeeded = ({ start, bytes }: PlacedRef) => start < end && start + bytes > from;
  for (let depth = body.levels; depth > 0; depth--) {
    const contents = await reader(level.map(({ name }) => name));
    level = level.flatMap(({ start }, index) => placed(nodeIn(contents[index]), start)).filter(isNeeded);
  }
  for (let at = 0; at < level.length; at += BLOBS_AT_ONCE) {
    const refs = level.slice(at, at + BLOBS_AT_ONCE);
    const contents = await reader(refs.map(({ name }) => name));
    for (const [index, { start }] of refs.entries()) {
      const content = contents[index] ?? new Uint8Array();
      yield content.subarray(Math.max(0, from - start), Math.min(content.length, end - start));
    }
  }
}

/** Reads a range of a body into one array. */
export async function readBytes(place: BodyPlace, body: KeptBody, range?: ByteRange): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readBody(place, body, range)) chunks.push(chunk);
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The length of the longest common prefix of two bodies. Pieces that both have are not read. */
export async function sharedBytes(place: BodyPlace, one: KeptBody, other: KeptBody): Promise<number> {
  const read = createBlobReader(place);
  const [first, second] = [await piecesIn(one, read), await piecesIn(other, read)];
  const { bytes } = sharedRefs(first, second);
  const compare = assertTools().sharedBytes;
  // Behind the equal pieces, the bodies may go on alike and only be cut at different places.
  for (let from = bytes; ; from += COMPARED_BYTES) {
    const range = { from, length: COMPARED_BYTES };
    const [here, there] = [await readBytes(place, one, range), await readBytes(place, other, range)];
    const same = compare(here, there);
    if (same < COMPARED_BYTES) return from + same;
  }
}

const COMPARED_BYTES = 65_536;

type ReadBlobs = (names: readonly string[]) => Promise<readonly Uint8Array[]>;

async function piecesIn({ root, bytes, levels }: KeptBody, read: ReadBlobs): Promise<readonly PieceRef[]> {
  let refs: readonly PieceRef[] = root === "" ? [] : [{ name: root, bytes }];
  for (let depth = levels; depth > 0; depth--) {
    refs = (await read(refs.map(({ name }) => name))).flatMap(nodeIn);
  }
  return refs;
}

interface PlacedRef extends PieceRef {
  /** The offset of its first byte in the body. */
  readonly start: number;
}

function placed(refs: readonly PieceRef[], start: number): readonly PlacedRef[] {
  let at = start;
  return refs.map((ref) => {
    const own = { ...ref, start: at };
    at += ref.bytes;
    return own;
  });
}

/** Creates a function that reads the contents of blobs, in the order of the names. */
function createBlobReader({ store, sessionKey }: BodyPlace): ReadBlobs {
  const tools = assertTools();
  return async (names) => {
    const contents = new Map<string, Uint8Array>();
    const wanted = [...new Set(names)];
    for (let at = 0; at < wanted.length; at += BLOBS_AT_ONCE) {
      const found = await store.readBlobs(sessionKey, wanted.slice(at, at + BLOBS_AT_ONCE));
      for (const { name, bytes } of found) contents.set(name, decodeBlob(name, bytes, tools));
    }
    return names.map((name) => contents.get(name) ?? missing(name));
  };
}

function nodeIn(content: Uint8Array | undefined): readonly PieceRef[] {
  const refs = readNode(new TextDecoder().decode(content));
  if (refs !== undefined) return refs;
  throw new PalimpsestError(
    "store-damaged",
    "A request names parts in no way that this version knows. Update the package.",
  );
}

function missing(name: string): never {
  throw new PalimpsestError(
    "not-found",
    `A part of the request, ${name}, is not in the store: exports and sessions that were set apart have no requests in them.`,
  );
}

function assertTools(): BlobTools {
  const tools = blobTools();
  if (tools !== undefined) return tools;
  throw new PalimpsestError(
    "invalid-configuration",
    "To read a request needs node:crypto and node:zlib. Run it on Node, Bun or Deno.",
  );
}
