/** A provider that answers at once, whole or in thirty events as the request asks. Its reply's id says how many bytes it was sent. */
import { createServer, type ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { stayWithParent } from "./child.ts";

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** With the six events around them: thirty. */
const TEXT_EVENTS = 24;
const BYTES_PER_TOKEN = 4;

const server = createServer((request, response) => {
  let bytes = 0;
  let isStreaming = false;
  request.on("data", (chunk: Buffer) => {
    // Bodies that ask for a stream are small here: the rest need not be searched.
    if (bytes === 0) isStreaming = chunk.includes('"stream":true');
    bytes += chunk.length;
  });
  request.on("end", () => {
    if (isStreaming) void answerInEvents(response, bytes);
    else answerWhole(response, bytes);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.send?.(`http://127.0.0.1:${address.port}`);
});
stayWithParent(() => undefined);

function replyWith(bytes: number, content: readonly unknown[]): object {
  const usage = { input_tokens: Math.ceil(bytes / BYTES_PER_TOKEN), output_tokens: 12 };
  const id = `msg_${bytes}`;
  return {
    id,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content,
    stop_reason: "end_turn",
    usage,
  };
}

function answerWhole(response: ServerResponse, bytes: number): void {
  const body = JSON.stringify(replyWith(bytes, [{ type: "text", text: "I shall look at the next file." }]));
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
}

async function answerInEvents(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of eventsFor(bytes)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    // Each leaves on its own.
    await setImmediate();
  }
  response.end();
}

function eventsFor(bytes: number): readonly StreamEvent[] {
  const delta = { type: "text_delta", text: "Some words of a reply. " };
  const texts = Array.from({ length: TEXT_EVENTS }, () => ({ type: "content_block_delta", index: 0, delta }));
  return [
    { type: "message_start", message: replyWith(bytes, []) },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    ...texts,
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 60 } },
    { type: "message_stop" },
  ];
}
