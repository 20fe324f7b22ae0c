import { PalimpsestError } from "../../../core/errors.ts";

/** What it takes to keep bytes by a name that is made of them. */
export interface BlobTools {
  sha256(bytes: Uint8Array): Uint8Array;
  deflate(bytes: Uint8Array): Uint8Array;
  inflate(bytes: Uint8Array): Uint8Array;
  /** How many bytes both begin with that are the same. */
  sharedBytes(one: Uint8Array, other: Uint8Array): number;
}

const BLOCK_BYTES = 65_536;
/** A hundred and twenty-eight bits. */
const NAME_BYTES = 16;
/** Shorter ones do not get shorter. */
const SHORTEST_DEFLATED = 160;
const [PLAIN, DEFLATED] = [0, 1];

// Not imports: the engine also runs where there are no such modules.
export function blobTools(): BlobTools | undefined {
  const load = globalThis.process?.getBuiltinModule;
  const [crypto, zlib, buffer] = [load?.("node:crypto"), load?.("node:zlib"), load?.("node:buffer")];
  if (crypto === undefined || zlib === undefined || buffer === undefined) return undefined;
  const isSame = (one: Uint8Array, other: Uint8Array) => buffer.Buffer.compare(one, other) === 0;
  return {
    sha256: (bytes) => crypto.createHash("sha256").update(bytes).digest(),
    // The fastest level: most of what is gained is gained there.
    deflate: (bytes) => zlib.deflateRawSync(bytes, { level: 1 }),
    inflate: (bytes) => zlib.inflateRawSync(bytes),
    sharedBytes: (one, other) => {
      const most = Math.min(one.length, other.length);
      let at = 0;
      while (at < most && isSame(one.subarray(at, at + BLOCK_BYTES), other.subarray(at, at + BLOCK_BYTES))) {
        at += BLOCK_BYTES;
      }
      while (at < most && one[at] === other[at]) at++;
      return Math.min(at, most);
    },
  };
}

export function nameOf(content: Uint8Array, { sha256 }: BlobTools): string {
  return btoa(String.fromCharCode(...sha256(content).subarray(0, NAME_BYTES)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .slice(0, 22);
}

/** The bytes as they are kept: what they are, then they themselves, deflated where that makes them shorter. */
export function encodeBlob(content: Uint8Array, { deflate }: BlobTools): Uint8Array {
  const deflated = content.length < SHORTEST_DEFLATED ? content : deflate(content);
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
  if (content !== undefined && nameOf(content, tools) === name) return content;
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
