import type { IncomingMessage } from "node:http";
import type { RawRequest } from "../decide.ts";

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
