import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { RawRequest } from "./decide.ts";
import type { RequestTarget } from "./wire-protocol.ts";

/** The whole body as text; one that is too large is read to its end, so that the client hears why, and not kept. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<RawRequest["body"]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  return bytes > maxBytes ? { type: "too-large" } : { type: "text", text: Buffer.concat(chunks).toString("utf8") };
}

/** How the body of a reply is labelled, streamed or not. */
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

/** Writes chunk by chunk, each given to the system before the next; stops where the client has gone. */
export async function writeChunks(response: ServerResponse, chunks: readonly string[]): Promise<void> {
  for (const chunk of chunks) {
    if (response.destroyed) return;
    await writeChunk(response, chunk);
  }
}

function writeChunk(response: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve) => {
    // the callback of a write is not sure to come once the client has gone
    const finish = () => {
      response.off("close", finish);
      resolve();
    };
    response.once("close", finish);
    response.write(chunk, finish);
  });
}

/** Waits, but not for a client that has gone. */
export async function untilClosed(response: ServerResponse, ms: number): Promise<void> {
  if (ms === 0 || response.destroyed) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once("close", leave);
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => undefined);
  response.off("close", leave);
}

/** Ends the connection without ending the reply. */
export async function cutConnection(response: ServerResponse): Promise<void> {
  await setImmediate();
  response.destroy();
}
