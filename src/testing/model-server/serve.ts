import type { IncomingMessage, ServerResponse } from "node:http";
import { answerOf } from "./answer.ts";
import { checkReply } from "./check-reply.ts";
import { MAX_BODY_BYTES, type Received, receive, recordOf, type Settings } from "./decide.ts";
import { readBody } from "./http/read-body.ts";
import { contentTypeOf, cutConnection, sendJson, writeChunks } from "./http/send.ts";
import type { ModelRequest, ScriptedReply } from "./model-server.ts";
import type { Refusal } from "./wire-protocol.ts";

/** What one exchange needs of the server that it is part of. */
export interface Host {
  readonly settings: Settings;
  /** Keeps the request and says how many there are. */
  record(request: ModelRequest): number;
  nextReply(request: ModelRequest): ScriptedReply;
}

// Clients skip what is no event, and events that they do not know: only an event of the right name with half of its JSON
// is sure not to pass for an empty reply.
const GARBAGE = [
  "<html><body>Bad gateway</body></html>\u0000\u0001",
  'data: {"half of',
  'event: message_start\ndata: {"half of',
  "",
].join("\n\n");

/** Takes one request through to its reply or its fault. Never throws: clients go away at any time. */
export async function serve(host: Host, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
    const body = await readBody(incoming, MAX_BODY_BYTES);
    const { method = "", headers } = incoming;
    const received = receive({ method, url, headers, body }, host.settings);
    if (received === undefined) {
      const message = `The model server has no ${method} ${url.pathname}.`;
      return sendJson(response, { status: 404, body: { error: { type: "not_found_error", message } } });
    }
    await respond(host, received, response);
  } catch {
    response.destroy();
  }
}

async function respond(host: Host, received: Received, response: ServerResponse): Promise<void> {
  const { protocol, request, refusal } = received;
  if (refusal !== undefined) {
    host.record(recordOf(received, "refused"));
    return sendRefusal(received, refusal, response);
  }
  if (request.operation === "count-tokens") {
    host.record(recordOf(received, "answered"));
    return sendJson(response, { status: 200, body: protocol.renderCount(request.promptTokens) });
  }
  const reply = replyTo(host, received);
  const isAnswer = reply.type === "text" || reply.type === "tool-calls";
  const serial = host.record(recordOf(received, isAnswer ? "answered" : "fault"));
  await perform(reply, { received, serial }, response);
}

/** A reply function that throws must not look like a network failure: its message is told. */
function replyTo(host: Host, received: Received): ScriptedReply {
  try {
    const reply = host.nextReply(recordOf(received, "answered"));
    checkReply(reply);
    return reply;
  } catch (error) {
    return { type: "error", status: 500, message: `The scripted reply failed: ${String(error)}` };
  }
}

interface Exchange {
  readonly received: Received;
  readonly serial: number;
}

async function perform(reply: ScriptedReply, { received, serial }: Exchange, response: ServerResponse): Promise<void> {
  const { protocol, request } = received;
  switch (reply.type) {
    case "hang":
      return;
    case "error":
      return sendScriptedError(received, reply, response);
    case "garbage":
      response.writeHead(200, { "content-type": contentTypeOf(request) });
      response.end(GARBAGE);
      return;
  }
  const answer = answerOf(reply, request.promptTokens, serial);
  response.writeHead(200, { "content-type": contentTypeOf(request) });
  const { content, end } = request.isStreaming
    ? protocol.renderStream(answer, request)
    : inHalves(JSON.stringify(protocol.renderReply(answer, request)));
  await writeChunks(response, content);
  switch (reply.type) {
    case "hang-mid-stream":
      return;
    case "cut":
      return cutConnection(response);
    case "trail-off":
      response.end();
      return;
    case "text":
    case "tool-calls":
      await writeChunks(response, end);
      response.end();
  }
}

function inHalves(text: string) {
  const middle = Math.floor(text.length / 2);
  return { content: [text.slice(0, middle)], end: [text.slice(middle)] };
}

function sendScriptedError(
  received: Received,
  { status, message = `Scripted error ${status}`, retryAfterSeconds }: Extract<ScriptedReply, { type: "error" }>,
  response: ServerResponse,
): void {
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds));
  sendRefusal(received, { status, message }, response);
}

function sendRefusal({ protocol, request }: Received, refusal: Refusal, response: ServerResponse): void {
  const error = protocol.renderError(refusal);
  const isArray = request.isStreaming && request.framing === "json-array";
  sendJson(response, { status: refusal.status, body: isArray ? [error] : error });
}
