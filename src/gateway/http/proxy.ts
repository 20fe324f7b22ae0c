import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import type { WireAdapter, WireName, WireUpstream } from "../../core/ports/wire-adapter.ts";
import type { ActivityFeed } from "../activity.ts";
import type { GatewayLimits, Upstreams } from "../gateway.ts";
import type { AgentRequest, Turn, Turns } from "../turn.ts";
import { within } from "../within.ts";
import { type ExchangeOptions, startExchange } from "./exchange.ts";
import { BROKEN, type Fault, hasBody, sendFault } from "./fault.ts";
import { createIncidentReport, LATE, type ReportIncident } from "./incidents.ts";
import type { Upstream } from "./kept-connections.ts";
import type { Environment } from "./network-proxy.ts";
import { type ByteBudget, createByteBudget, readBody, readRequestText, sendContinue } from "./read-body.ts";
import { createRouter, joinPath, readUpstreamBase, type UpstreamBase, upstreamsOf } from "./route.ts";
import { openUpstreamPools } from "./upstream-pools.ts";

export interface ProxyOptions {
  /** Base URLs by the names of upstreams. @default those of the adapters */
  readonly upstreams: Upstreams;
  /** The adapters of the APIs whose conversations are recognised. @default those of this package */
  readonly adapters?: readonly WireAdapter[] | undefined;
  readonly turns: Turns;
  readonly feed: ActivityFeed;
  readonly limits: GatewayLimits;
  /** How long an upstream may take until the head of its reply. @default an hour */
  readonly upstreamTimeoutMs?: number | undefined;
  /** The variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read in it. @default connections are direct */
  readonly environment?: Environment | undefined;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
}

export interface RequestProxy {
  /** Forwards a request that the guard let pass; `target` is its path with the query. */
  forward(request: IncomingMessage, response: ServerResponse, target: string): void;
  /** Ends every connection to upstreams. */
  close(): Promise<void>;
}

const UPSTREAM_TIMEOUT_MS = 3_600_000;

export function createProxy(options: ProxyOptions): RequestProxy {
  const { turns, feed, limits, adapters = WIRE_ADAPTERS, now = Date.now } = options;
  const upstreams = openUpstreams(adapters, options);
  const routeOf = createRouter(adapters);
  const report = createIncidentReport(feed, now);
  const decodedBytes = createByteBudget(limits.maxDecodedBytes);

  function forward(request: IncomingMessage, response: ServerResponse, target: string): void {
    const { path, query } = splitTarget(target);
    const route = routeOf(request.method ?? "GET", path, request.headers);
    const { origin, basePath, upstream } = upstreams.of(route.upstream);
    const forwarding = {
      request,
      response,
      upstream,
      origin,
      path: joinPath(route.upstream, basePath, path) + query,
      turnTimeoutMs: limits.turnTimeoutMs,
      report,
    };
    const { api } = route;
    if (api === undefined || request.headers["x-palimpsest-bypass"] === "1") {
      startExchange({ ...forwarding, body: streamedBody(request, response), turn: undefined });
      return;
    }
    forwardConversation({ ...forwarding, api, agentPath: path }, { turns, limits, decodedBytes }).catch((error) => {
      report("forwarding a request", error);
      sendFault(request, response, BROKEN);
    });
  }

  return { forward, close: upstreams.close };
}

/** The connections to upstreams, at the base URLs that are configured for them. */
interface OpenUpstreams {
  of(upstream: WireUpstream): UpstreamBase & { readonly upstream: Upstream };
  close(): Promise<void>;
}

function openUpstreams(
  adapters: readonly WireAdapter[],
  { upstreams, upstreamTimeoutMs = UPSTREAM_TIMEOUT_MS, environment }: ProxyOptions,
): OpenUpstreams {
  const pools = openUpstreamPools({ headersTimeoutMs: upstreamTimeoutMs, environment });
  const open = ({ name, url }: WireUpstream) => {
    const base = readUpstreamBase(name, upstreams[name] ?? url);
    return { ...base, upstream: pools.of(base.origin) };
  };
  const opened = new Map(upstreamsOf(adapters).map((upstream) => [upstream.name, open(upstream)]));
  return { of: (upstream) => opened.get(upstream.name) ?? open(upstream), close: () => pools.close() };
}

interface ConversationPorts extends Pick<ProxyOptions, "turns" | "limits"> {
  readonly decodedBytes: ByteBudget;
}

/** Forwards a request that may hold a conversation: reads its whole body, begins its turn, and starts the exchange. */
async function forwardConversation(
  forwarding: Forwarding,
  { turns, limits, decodedBytes }: ConversationPorts,
): Promise<void> {
  const { request, response, origin, api, agentPath, turnTimeoutMs, report } = forwarding;
  const read = await readBody(request, response, limits.maxBodyBytes);
  if (read.type === "gone") return;
  if (read.type === "too-large") return sendFault(request, response, tooLarge(limits.maxBodyBytes));
  const lease = decodedBytes.lease();
  // The exchange may read the decoded body until the response is closed. If it is closed already, the event does not come again.
  response.once("close", lease.dispose);
  if (response.closed) return lease.dispose();
  const maxBytes = Math.min(limits.maxBodyBytes, decodedBytes.maxBytes);
  const text = await readRequestText(read.bytes, request.headers["content-encoding"], { maxBytes, take: lease.take });
  if (text.type === "too-large") return sendFault(request, response, tooLarge(maxBytes));
  if (text.type === "busy") {
    lease.dispose();
    return sendFault(request, response, tooMuchDecoded(decodedBytes.maxBytes));
  }
  const agentRequest = { api, path: agentPath, headers: request.headers, upstream: origin };
  const turn =
    text.type === "text"
      ? await beginTurn({ ...agentRequest, ...text }, { turns, timeoutMs: turnTimeoutMs, report })
      : undefined;
  if (response.destroyed) return turn && endUnsent(turn, report);
  startExchange({ ...forwarding, body: read.bytes, turn });
}

interface Forwarding extends Omit<ExchangeOptions, "body" | "turn"> {
  readonly api: WireName;
  /** The path as the agent sent it. */
  readonly agentPath: string;
}

function tooLarge(maxBodyBytes: number): Fault {
  const message = `The request is larger than the ${maxBodyBytes} bytes that the gateway takes. Raise its limit maxBodyBytes, or send the header x-palimpsest-bypass: 1.`;
  return { status: 413, code: "request-too-large", message };
}

function tooMuchDecoded(maxDecodedBytes: number): Fault {
  const message = `Compressed requests in flight hold the ${maxDecodedBytes} bytes that the gateway decodes at a time. Send this one again in a moment, or uncompressed, or raise the gateway's limit maxDecodedBytes.`;
  return { status: 503, code: "decoding-busy", message, retryAfter: 1 };
}

function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const end = target.indexOf("?");
  return end === -1 ? { path: target, query: "" } : { path: target.slice(0, end), query: target.slice(end) };
}

// Through a stream of its own, because undici destroys the body stream if the upstream fails: that must not be the client's request.
function streamedBody(request: IncomingMessage, response: ServerResponse): Readable | undefined {
  if (!hasBody(request)) return undefined;
  sendContinue(request, response);
  return request.pipe(new PassThrough());
}

interface BeginTurnOptions {
  readonly turns: Turns;
  readonly timeoutMs: number;
  readonly report: ReportIncident;
}

/** Begins a turn. Returns undefined if the request holds no conversation, or if beginning failed or took too long, which is reported. */
async function beginTurn(
  request: AgentRequest,
  { turns, timeoutMs, report }: BeginTurnOptions,
): Promise<Turn | undefined> {
  const begun = await within(timeoutMs, () => turns.begin(request));
  if (begun.type === "done") return begun.value;
  report("beginning a turn", begun.type === "failed" ? begun.error : LATE);
  if (begun.type === "late") {
    begun.whenDone.then(
      (turn) => turn && endUnsent(turn, report),
      () => {},
    );
  }
  return undefined;
}

/** Ends a turn whose request was not sent, or was sent without the turn. */
function endUnsent(turn: Turn, report: ReportIncident): void {
  try {
    turn.end({ status: undefined, isComplete: false });
  } catch (error) {
    report("ending a turn", error);
  }
}
