import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { codingOf, type DecodeOptions, decodeWhole } from "./content-coding.ts";

export type ReadBody =
  | { readonly type: "whole"; readonly bytes: Buffer }
  | { readonly type: "too-large" }
  /** The client closed the connection before it had sent the whole body. */
  | { readonly type: "gone" };

/** Reads a whole body, unless it is larger than `maxBytes`. Never rejects. */
export function readBody(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<ReadBody> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) return Promise.resolve({ type: "too-large" });
  sendContinue(request, response);
  return new Promise((resolve) => {
    const body = announced >= LEAST_PREALLOCATED_BYTES ? preallocatedBody(announced) : chunkedBody();
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) body.add(chunk);
      else finish({ type: "too-large" });
    };
    const finish = (read: ReadBody) => {
      request.off("data", take);
      resolve(read);
    };
    request.on("data", take);
    request.once("end", () => finish({ type: "whole", bytes: body.whole() }));
    request.once("close", () => finish({ type: "gone" }));
    request.on("error", () => finish({ type: "gone" }));
  });
}

/** Tells a client that sent `expect: 100-continue` to send its body. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (/^100-continue$/i.test(request.headers.expect ?? "")) response.writeContinue();
}

/** Larger bodies are copied chunk by chunk as they arrive: joining all chunks at the end would hold up other requests. */
const LEAST_PREALLOCATED_BYTES = 256 * 1024;

interface GrowingBody {
  add(chunk: Buffer): void;
  whole(): Buffer;
}

function chunkedBody(): GrowingBody {
  const chunks: Buffer[] = [];
  return {
    add: (chunk) => void chunks.push(chunk),
    whole: () => {
      const [first, second] = chunks;
      return first !== undefined && second === undefined ? first : Buffer.concat(chunks);
    },
  };
}

/** Node ends a body with a content-length after exactly that many bytes, so one buffer of that length holds it. */
function preallocatedBody(length: number): GrowingBody {
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  return {
    add: (chunk) => {
      filled += chunk.copy(bytes, filled);
    },
    whole: () => (filled === length ? bytes : bytes.subarray(0, filled)),
  };
}

export type RequestText =
  | { readonly type: "text"; readonly body: Buffer }
  | { readonly type: "too-large" }
  /** Other requests use up the memory for decoding. */
  | { readonly type: "busy" }
  /** The body is not UTF-8 or cannot be decoded: no adapter can read it, and it is forwarded unchanged. */
  | { readonly type: "opaque" };

/** Decodes a body that may be compressed, and checks that it is text. */
export async function readRequestText(
  bytes: Buffer,
  contentEncoding: string | undefined,
  options: DecodeOptions,
): Promise<RequestText> {
  const decoded = await decodeWhole(bytes, codingOf(contentEncoding), options);
  if (decoded.type === "too-large" || decoded.type === "busy") return decoded;
  // bytes that are not UTF-8 would be lost when the body is written again
  if (decoded.type === "undecodable" || !isUtf8(decoded.bytes)) return { type: "opaque" };
  return { type: "text", body: decoded.bytes };
}

/** A limit on the memory that all requests use together. */
export interface ByteBudget {
  readonly maxBytes: number;
  lease(): ByteLease;
}

/** The part of the budget that one request has taken. */
export interface ByteLease {
  /** Takes bytes from the budget. Returns false, and takes nothing, if fewer are left. */
  take(bytes: number): boolean;
  /** Gives back all bytes that were taken. After that, `take` returns false. */
  dispose(): void;
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let left = maxBytes;
  return {
    maxBytes,
    lease: () => {
      let taken = 0;
      let isDisposed = false;
      return {
        take: (bytes) => {
          if (isDisposed || bytes > left) return false;
          left -= bytes;
          taken += bytes;
          return true;
        },
        dispose: () => {
          isDisposed = true;
          left += taken;
          taken = 0;
        },
      };
    },
  };
}
