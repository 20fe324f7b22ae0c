import { PalimpsestError } from "../../../core/errors.ts";

/** What it takes to keep bytes by a name that is made of them. */
export interface BlobTools {
  /** By the beginning of their SHA-256. */
  nameOf(bytes: Uint8Array): string;
  deflate(bytes: Uint8Array): Uint8Array;
  inflate(bytes: Uint8Array): Uint8Array;
  /** How many bytes both begin with that are the same. */
  sharedBytes(one: Uint8Array, other: Uint8Array): number;
}

/** Blocks that are compared at once: the first that differs is looked through in smaller ones, and only the last by byte. */
const BLOCK_BYTES = [65_536, 4_096, 256, 16];
/** A hundred and twenty-eight bits. */
const NAME_BYTES = 16;
/** Shorter ones do not get shorter. */
const SHORTEST_DEFLATED = 160;
const [PLAIN, DEFLATED] = [0, 1];

let tools: { readonly loaded: BlobTools | undefined } | undefined;

/** Undefined on a platform without what it takes. */
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
    // The fastest level: most of what is gained is gained there.
    deflate: (bytes) => zlib.deflateRawSync(bytes, { level: 1 }),
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

/** The bytes as they are kept: what they are, then they themselves, deflated where that makes them shorter and is asked for. */
export function encodeBlob(content: Uint8Array, deflate?: BlobTools["deflate"]): Uint8Array {
  const deflated = deflate === undefined || content.length < SHORTEST_DEFLATED ? content : deflate(content);
  const isShorter = deflated.length < content.length;
  const kept = isShorter ? deflated : content;
  const bytes = new Uint8Array(kept.length + 1);
  bytes[0] = isShorter ? DEFLATED : PLAIN;
  bytes.set(kept, 1);
  return bytes;
}

/** Throws "store-damaged" where the bytes are not those that the name was made of. */
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
