import { PalimpsestError } from "../../../core/errors.ts";

/** The functions by which blobs are kept under the hash of their content. */
export interface BlobTools {
  /** The name of a blob: the first 128 bits of its SHA-256. */
  nameOf(bytes: Uint8Array): string;
  deflate(bytes: Uint8Array): Uint8Array;
  inflate(bytes: Uint8Array): Uint8Array;
  /** The length of the longest common prefix. */
  sharedBytes(one: Uint8Array, other: Uint8Array): number;
}

/** The sizes of blocks that are compared natively: from the first block that differs on, smaller ones are, and the last few bytes one by one. */
const BLOCK_BYTES = [65_536, 4_096, 256, 16];
const NAME_BYTES = 16;
/** Shorter contents do not shrink. */
const SHORTEST_DEFLATED = 160;
const [PLAIN, DEFLATED] = [0, 1];

let tools: { readonly loaded: BlobTools | undefined } | undefined;

/** Undefined on a platform without synchronous hashes and compression. */
export function blobTools(): BlobTools | undefined {
  tools ??= { loaded: loadTools() };
  return tools.loaded;
}

// Not imports: the engine also runs where there are no such modules.
function loadTools(): BlobTools | undefined {
  const load = globalThis.process?.getBuiltinModule;
  const [crypto, zlib, buffer] = [load?.("node:crypto"), load?.("node:zlib"), load?.("node:buffer")];
  if (crypto === undefined || zlib === undefined || buffer === undefined) return undefined;
  const isSame = (one: Uint8Array, other: Uint8Array) => buffer.Buffer.compare(one, other) === 0;
  return {
    nameOf: (bytes) => crypto.hash("sha256", bytes, "buffer").toString("base64url", 0, NAME_BYTES),
    deflate: (bytes) => zlib.deflateRawSync(bytes, deflateOptions(bytes.length)),
    inflate: (bytes) => zlib.inflateRawSync(bytes),
    sharedBytes: (one, other) => {
      const most = Math.min(one.length, other.length);
      let at = 0;
      for (const bytes of BLOCK_BYTES) {
        while (at < most && isSame(one.subarray(at, at + bytes), other.subarray(at, at + bytes))) at += bytes;
      }
      while (at < most && one[at] === other[at]) at++;
      return Math.min(at, most);
    },
  };
}

/** Powers of two. */
const [SMALLEST_WINDOW, LARGEST_WINDOW] = [9, 15];

/** Most pieces are short: to set up a window larger than the piece takes as long as to deflate it, and gains nothing. */
function deflateOptions(bytes: number) {
  const windowBits = Math.min(LARGEST_WINDOW, Math.max(SMALLEST_WINDOW, Math.ceil(Math.log2(bytes))));
  const chunkSize = Math.min(16_384, bytes + 64);
  // The fastest level already gives most of the compression.
  return { level: 1, windowBits, memLevel: Math.min(8, windowBits - 5), chunkSize };
}

/** Encodes a blob: one byte for the encoding, then the content, which is deflated where `deflate` is given and makes it shorter. */
export function encodeBlob(content: Uint8Array, deflate?: BlobTools["deflate"]): Uint8Array {
  const deflated = deflate === undefined || content.length < SHORTEST_DEFLATED ? content : deflate(content);
  const isShorter = deflated.length < content.length;
  const kept = isShorter ? deflated : content;
  const bytes = new Uint8Array(kept.length + 1);
  bytes[0] = isShorter ? DEFLATED : PLAIN;
  bytes.set(kept, 1);
  return bytes;
}

/** Decodes a blob. Throws "store-damaged" where its content does not have the name's hash. */
export function decodeBlob(name: string, bytes: Uint8Array, tools: BlobTools): Uint8Array {
  const content = contentOf(bytes, tools);
  if (content !== undefined && tools.nameOf(content) === name) return content;
  throw new PalimpsestError(
    "store-damaged",
    `A part of a request, ${name}, is not what was written. Restore the database from a backup.`,
  );
}

function contentOf(bytes: Uint8Array, { inflate }: BlobTools): Uint8Array | undefined {
  const kept = bytes.subarray(1);
  if (bytes[0] === PLAIN) return kept;
  try {
    return bytes[0] === DEFLATED ? inflate(kept) : undefined;
  } catch {
    return undefined;
  }
}
