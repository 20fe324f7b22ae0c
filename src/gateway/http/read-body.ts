import type { IncomingMessage, ServerResponse } from "node:http";

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
