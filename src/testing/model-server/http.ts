import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { RawRequest } from "./decide.ts";
import type { RequestTarget } from "./wire-protocol.ts";

/** Reads the whole body as text. One that is too large is read to its end but dropped, so that the client gets the error. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<RawRequest["body"]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return bytes > maxBytes ? { type: "too-large" } : { type: "text", text: Buffer.concat(chunks).toString("utf8") };
}

/** The content type of a reply. */
export function contentTypeOf({ isStreaming, framing }: RequestTarget): string {
  return isStreaming && framing === "events" ? "text/event-stream; charset=utf-8" : "application/json; charset=utf-8";
}

export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendJson(response: ServerResponse, { status, body, headers = {} }: JsonResponse): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}

/** Writes the chunks one by one, each after the system has taken the one before; stops where the client has disconnected. */
export async function writeChunks(response: ServerResponse, chunks: readonly string[]): Promise<void> {
  for (const chunk of chunks) {
    if (response.destroyed) return;
    await writeChunk(response, chunk);
  }
}

function writeChunk(response: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve) => {
    // the callback of a write may never come once the client has disconnected
    const finish = () => {
      response.off("close", finish);
      resolve();
    };
    response.once("close", finish);
    response.write(chunk, finish);
  });
}

/** Waits for `ms`, or until the client disconnects. */
export async function untilClosed(response: ServerResponse, ms: number): Promise<void> {
  if (ms === 0 || response.destroyed) return;
  const disconnected = new AbortController();
  const abort = () => disconnected.abort();
  response.once("close", abort);
  await sleep(ms, undefined, { signal: disconnected.signal }).catch(() => undefined);
  response.off("close", abort);
}

/** Ends the connection without ending the reply. */
export async function cutConnection(response: ServerResponse): Promise<void> {
  await setImmediate();
  response.destroy();
}
