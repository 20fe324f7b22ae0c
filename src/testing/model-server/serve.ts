import type { IncomingMessage, ServerResponse } from "node:http";
import { answerOf } from "./answer.ts";
import type { CacheDiagnoses, CacheDiagnosis } from "./cache/cache-diagnosis.ts";
import type { CacheVisit, PromptCache } from "./cache/prompt-cache.ts";
import { checkReply } from "./check-reply.ts";
import { type Received, receive, recordOf, type Settings } from "./decide.ts";
import { contentTypeOf, cutConnection, readBody, sendJson, untilClosed, writeChunks } from "./http.ts";
import type { ModelRequest, PromptCacheUse, ScriptedOpening, ScriptedReply } from "./model-server.ts";
import { answerProbe } from "./probe.ts";
import type { Refusal } from "./wire-protocol.ts";

/** What one exchange needs of the server that it is part of. */
export interface Host {
  readonly settings: Settings;
  readonly cache: PromptCache | undefined;
  readonly diagnoses: CacheDiagnoses;
  /** Records the request and returns how many are recorded: its serial number. */
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

/** Serves one request, with a reply or a fault. Never throws: clients go away at any time, and options may be functions. */
export async function serve(host: Host, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { method = "", headers, url: path = "/" } = incoming;
    const url = new URL(path, "http://127.0.0.1");
    const body = await readBody(incoming, host.settings.maxBodyBytes);
    const probed = answerProbe({ method, url, headers, models: host.settings.models });
    if (probed !== undefined) return sendJson(response, probed);
    const received = receive({ method, path, url, headers, body }, host.settings);
    if (received === undefined) {
      const message = `The model server has no ${method} ${url.pathname}.`;
      return sendJson(response, { status: 404, body: { error: { type: "not_found_error", message } } });
    }
    await respond(host, received, response);
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    sendJson(response, { status: 500, body: { error: { type: "api_error", message: String(error) } } });
  }
}

async function respond(host: Host, received: Received, response: ServerResponse): Promise<void> {
  const { protocol, request, refusal } = received;
  if (refusal !== undefined) {
    host.record(recordOf(received, { outcome: "refused" }));
    return sendRefusal(received, refusal, response);
  }
  if (request.operation === "count-tokens") {
    host.record(recordOf(received, { outcome: "answered" }));
    return sendJson(response, { status: 200, body: protocol.renderCount(request.promptTokens, request) });
  }
  if (request.operation === "compact" && protocol.renderCompacted !== undefined) {
    const serial = host.record(recordOf(received, { outcome: "answered" }));
    return sendJson(response, { status: 200, body: protocol.renderCompacted(serial, request) });
  }
  const visit = host.cache?.look(protocol.wire, request.modelId, request.blocks);
  const reply = replyTo(host, received, visit);
  const isRead = reachesModel(reply);
  const cache = isRead ? visit?.use : undefined;
  if (isRead) visit?.keep();
  const outcome = reply.type === "text" || reply.type === "tool-calls" ? "answered" : "fault";
  const serial = host.record(recordOf(received, { outcome, cache }));
  const diagnosis = isRead ? diagnose(host, received, serial) : undefined;
  await perform(reply, { received, serial, cache, diagnosis }, response);
}

/** Compares the request with the one that it names, and remembers it where later ones may name it. */
function diagnose({ diagnoses }: Host, { protocol, request }: Received, serial: number): CacheDiagnosis | undefined {
  const { replyId, comparedReply } = protocol;
  const compared = comparedReply?.(request.body);
  const diagnosis = typeof compared === "string" ? diagnoses.compare(compared, request) : undefined;
  if (replyId !== undefined) diagnoses.remember(replyId(serial), request);
  return diagnosis;
}

/** A reply function that throws must not look like a network failure: the reply is then an error with its message. */
function replyTo(host: Host, received: Received, visit: CacheVisit | undefined): ScriptedReply {
  try {
    const reply = host.nextReply(recordOf(received, { outcome: "answered", cache: visit?.use }));
    checkReply(reply);
    return reply;
  } catch (error) {
    return { type: "error", status: 500, message: `The scripted reply failed: ${String(error)}` };
  }
}

/** Whether the model reads the prompt, which is then cached, before this reply. */
function reachesModel({ type }: ScriptedReply): boolean {
  return type !== "error" && type !== "late-error" && type !== "hang" && type !== "garbage";
}

interface Exchange {
  readonly received: Received;
  readonly serial: number;
  readonly cache: PromptCacheUse | undefined;
  readonly diagnosis: CacheDiagnosis | undefined;
}

async function perform(reply: ScriptedReply, exchange: Exchange, response: ServerResponse): Promise<void> {
  const { received, serial, cache, diagnosis } = exchange;
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
    case "late-error":
      return sendLateError(received, reply, response);
  }
  const answer = answerOf(reply, { serial, cache, diagnosis, promptTokens: request.promptTokens });
  const { opening, content, end } = request.isStreaming
    ? protocol.renderStream(answer, request)
    : inHalves(JSON.stringify(protocol.renderReply(answer, request)));
  await open(opening, { received, reply, response });
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
  return { opening: [], content: [text.slice(0, middle)], end: [text.slice(middle)] };
}

interface Opened {
  readonly received: Received;
  readonly reply: ScriptedOpening;
  readonly response: ServerResponse;
}

/** Opens a stream and keeps it open for as long as the script says; a client that does not stream receives nothing until then. */
async function open(opening: readonly string[], { received, reply, response }: Opened): Promise<void> {
  const { protocol, request } = received;
  const { opensForMs = 0 } = reply;
  const head = { "content-type": contentTypeOf(request) };
  if (!request.isStreaming) {
    await untilClosed(response, opensForMs);
    response.writeHead(200, head);
    return;
  }
  response.writeHead(200, head);
  if (opensForMs > 0) response.flushHeaders();
  await writeChunks(response, opening);
  if (opensForMs === 0) return;
  await untilClosed(response, opensForMs / 2);
  await writeChunks(response, [protocol.renderSignOfLife(request)]);
  await untilClosed(response, opensForMs / 2);
}

async function sendLateError(
  received: Received,
  reply: Extract<ScriptedReply, { type: "late-error" }>,
  response: ServerResponse,
): Promise<void> {
  const { status, message = `Scripted error ${status}`, code } = reply;
  const refusal: Refusal = { status, message, ...(code === undefined ? {} : { code }) };
  if (received.request.isStreaming) return failInStream(refusal, { received, reply, response });
  await untilClosed(response, reply.opensForMs ?? 0);
  sendJson(response, { status, body: received.protocol.renderError(refusal) });
}

/** Opens a stream that ends with the refusal. */
async function failInStream(refusal: Refusal, opened: Opened): Promise<void> {
  const { received, response } = opened;
  const { protocol, request } = received;
  const nothing = answerOf(
    { type: "text", text: "" },
    { serial: 0, cache: undefined, promptTokens: request.promptTokens },
  );
  await open(protocol.renderStream(nothing, request).opening, opened);
  await writeChunks(response, protocol.renderFailure(refusal, request));
  response.end();
}

function sendScriptedError(
  received: Received,
  { status, message = `Scripted error ${status}`, retryAfterSeconds }: Extract<ScriptedReply, { type: "error" }>,
  response: ServerResponse,
): Promise<void> {
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds));
  return sendRefusal(received, { status, message }, response);
}

async function sendRefusal(received: Received, refusal: Refusal, response: ServerResponse): Promise<void> {
  const { protocol, request } = received;
  if (request.isStreaming && protocol.refusesInStream?.(refusal) === true) {
    return failInStream(refusal, { received, reply: {}, response });
  }
  const error = protocol.renderError(refusal);
  const isArray = request.isStreaming && request.framing === "json-array";
  sendJson(response, { status: refusal.status, body: isArray ? [error] : error });
}
