import type { Transform } from "node:stream";
import zlib from "node:zlib";

/** How a body is compressed; `unknown` if the gateway cannot decode it. */
export type ContentCoding = "identity" | "gzip" | "deflate" | "br" | "zstd" | "unknown";

/** Reads the value of `content-encoding`. */
export function codingOf(header: string | undefined): ContentCoding {
  const coding = (header ?? "").trim().toLowerCase();
  if (coding === "" || coding === "identity") return "identity";
  if (coding === "gzip" || coding === "x-gzip") return "gzip";
  if (coding === "zstd") return hasZstd() ? "zstd" : "unknown";
  return coding === "deflate" || coding === "br" ? coding : "unknown";
}

// Node decodes zstd since 22.15.
function hasZstd(): boolean {
  return typeof zlib.createZstdDecompress === "function";
}

export type Decoded =
  | { readonly type: "decoded"; readonly bytes: Buffer }
  | { readonly type: "too-large" }
  /** `take` refused: other requests use up the memory for decoding. */
  | { readonly type: "busy" }
  | { readonly type: "undecodable" };

export interface DecodeOptions {
  readonly maxBytes: number;
  /** Called before each decoded piece is kept; returns false if there is no memory left for it. @default there always is */
  readonly take?: ((bytes: number) => boolean) | undefined;
}

/** Decodes a whole body. Of a body that decodes to more than `maxBytes`, no more than that is kept in memory. */
export async function decodeWhole(bytes: Buffer, coding: ContentCoding, options: DecodeOptions): Promise<Decoded> {
  if (coding === "unknown") return { type: "undecodable" };
  if (coding === "identity") return { type: "decoded", bytes };
  const { maxBytes, take = () => true } = options;
  const chunks: Buffer[] = [];
  let length = 0;
  const decoder = createDecoder(coding, bytes);
  decoder.end(bytes);
  try {
    for await (const chunk of decoder) {
      length += chunk.length;
      if (length > maxBytes) return { type: "too-large" };
      if (!take(chunk.length)) return { type: "busy" };
      chunks.push(chunk);
    }
  } catch {
    return { type: "undecodable" };
  }
  return { type: "decoded", bytes: Buffer.concat(chunks, length) };
}

type Compressed = Exclude<ContentCoding, "identity" | "unknown">;

/** Creates a decoder for a body that arrives in pieces. `first` is its first piece, which must still be written to the decoder. */
export function createDecoder(coding: Compressed, first: Buffer): Transform {
  switch (coding) {
    case "gzip":
      return zlib.createGunzip();
    case "deflate":
      return isWrapped(first) ? zlib.createInflate() : zlib.createInflateRaw();
    case "br":
      return zlib.createBrotliDecompress();
    case "zstd":
      return zlib.createZstdDecompress();
  }
}

// "deflate" means a zlib stream, but some servers send raw deflate data without the zlib header. The first byte tells them apart.
function isWrapped(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}
