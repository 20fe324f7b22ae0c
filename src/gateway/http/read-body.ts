import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { codingOf, type DecodeOptions, decodeWhole } from "./content-coding.ts";

export type ReadBody =
  | { readonly type: "whole"; readonly bytes: Buffer }
  | { readonly type: "too-large" }
  /** The client went away before it had sent everything. */
  | { readonly type: "gone" };

/** Reads a body whole, unless it is larger than the limit. */
export function readBody(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<ReadBody> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve({ type: "too-large" });
  sendContinue(request, response);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else finish({ type: "too-large" });
    };
    const finish = (read: ReadBody) => {
      request.off("data", take);
      resolve(read);
    };
    request.on("data", take);
    request.once("end", () => finish({ type: "whole", bytes: joined(chunks) }));
    request.once("close", () => finish({ type: "gone" }));
    request.on("error", () => finish({ type: "gone" }));
  });
}

/** Answers a client that asks first whether to send its body. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (/^100-continue$/i.test(request.headers.expect ?? "")) response.writeContinue();
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first, second] = chunks;
  return first !== undefined && second === undefined ? first : Buffer.concat(chunks);
}

export type RequestText =
  | { readonly type: "text"; readonly body: Buffer }
  | { readonly type: "too-large" }
  /** Too much is being decoded for other requests. */
  | { readonly type: "busy" }
  /** Nothing that an adapter could read: it is forwarded as it came. */
  | { readonly type: "opaque" };

/** A body that is text, decoded where it came compressed. */
export async function readRequestText(
  bytes: Buffer,
  contentEncoding: string | undefined,
  options: DecodeOptions,
): Promise<RequestText> {
  const decoded = await decodeWhole(bytes, codingOf(contentEncoding), options);
  if (decoded.type === "too-large" || decoded.type === "busy") return decoded;
  // what is no UTF-8 could not be written again as it was
  if (decoded.type === "undecodable" || !isUtf8(decoded.bytes)) return { type: "opaque" };
  return { type: "text", body: decoded.bytes };
}

/** Memory that requests share: what one of them takes is not there for the others until it is given back. */
export interface ByteBudget {
  readonly maxBytes: number;
  lease(): ByteLease;
}

/** What one request has taken of a budget. */
export interface ByteLease {
  /** False, and nothing is taken, where so much is not left. */
  take(bytes: number): boolean;
  /** Gives everything back; nothing can be taken any more. */
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
