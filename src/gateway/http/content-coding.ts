import type { Transform } from "node:stream";
import { promisify } from "node:util";
import zlib from "node:zlib";

/** How a body is compressed; `unknown` where it is in a way that we cannot read. */
export type ContentCoding = "identity" | "gzip" | "deflate" | "br" | "zstd" | "unknown";

/** Reads the value of `content-encoding`. */
export function codingOf(header: string | undefined): ContentCoding {
  const coding = (header ?? "").trim().toLowerCase();
  if (coding === "" || coding === "identity") return "identity";
  if (coding === "gzip" || coding === "x-gzip") return "gzip";
  if (coding === "zstd") return hasZstd() ? "zstd" : "unknown";
  return coding === "deflate" || coding === "br" ? coding : "unknown";
}

// Node has it since 22.15.
function hasZstd(): boolean {
  return typeof zlib.createZstdDecompress === "function";
}

export type Decoded =
  | { readonly type: "decoded"; readonly bytes: Buffer }
  | { readonly type: "too-large" }
  | { readonly type: "undecodable" };

/** A whole body, decoded; nothing above the limit is ever held. */
export async function decodeWhole(bytes: Buffer, coding: ContentCoding, maxBytes: number): Promise<Decoded> {
  if (coding === "unknown") return { type: "undecodable" };
  if (coding === "identity") return { type: "decoded", bytes };
  try {
    return { type: "decoded", bytes: await inflate(bytes, coding, maxBytes) };
  } catch (error) {
    const isTooLarge = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return { type: isTooLarge ? "too-large" : "undecodable" };
  }
}

type Compressed = Exclude<ContentCoding, "identity" | "unknown">;

function inflate(bytes: Buffer, coding: Compressed, maxOutputLength: number): Promise<Buffer> {
  switch (coding) {
    case "gzip":
      return promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)(bytes, { maxOutputLength });
    case "deflate": {
      const inflateIt = isWrapped(bytes) ? zlib.inflate : zlib.inflateRaw;
      return promisify<Buffer, zlib.ZlibOptions, Buffer>(inflateIt)(bytes, { maxOutputLength });
    }
    case "br":
      return promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)(bytes, { maxOutputLength });
    case "zstd":
      return promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress)(bytes, { maxOutputLength });
  }
}

/** Decodes what comes piece by piece; `first` is the first piece. */
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

// "deflate" means a zlib stream, yet some servers send the bare one; its first byte tells.
function isWrapped(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}
