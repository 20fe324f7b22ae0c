import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, createServer as createSocketServer, type Socket, type Server as SocketServer } from "node:net";
import type { ReplyFollower } from "../../src/core/ports/wire-adapter.ts";
import { type Activity, createActivityFeed } from "../../src/gateway/activity.ts";
import type { GatewayLimits } from "../../src/gateway/gateway.ts";
import { type HttpServer, type HttpServerOptions, startHttpServer } from "../../src/gateway/http/start-http-server.ts";
import type { Turn, TurnOutcome, Turns } from "../../src/gateway/turn.ts";

/** What a test started on loopback; closed in reverse by `closeAll`, which belongs into `afterEach`. */
const closing: (() => Promise<void>)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  openSockets(): Promise<number>;
  /** Before the test ends. */
  end(): Promise<void>;
}

export interface LoopbackServer extends Listening {
  /** What came, the oldest first. */
  readonly requests: readonly SeenRequest[];
}

/** A server that reads each request whole and answers as the test says. */
export async function startUpstream(
  answer: (response: ServerResponse, request: SeenRequest) => void,
): Promise<LoopbackServer> {
  const requests: SeenRequest[] = [];
  // By default a connection is closed after five seconds, on a busy machine just when it is used again.
  const server = createServer({ keepAliveTimeout: 600_000 }, async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray().catch(() => []));
    const { method = "", url: target = "", headers, rawHeaders } = incoming;
    const seen = { method, target, headers, rawHeaders, body };
    requests.push(seen);
    answer(response, seen);
  });
  return { ...(await listenOnLoopback(server)), requests };
}

/** A server that speaks as the test says, HTTP or not. */
export async function startSocketServer(serve: (socket: Socket) => void): Promise<LoopbackServer> {
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    serve(socket);
  });
  return { ...(await listenOnLoopback(server)), requests: [] };
}

/** Any server on a port that is free, until the test ends. */
export async function listenOnLoopback(server: Server | SocketServer): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const end = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  closing.push(end);
  return { url: `http://127.0.0.1:${port}`, port, openSockets: async () => sockets.size, end };
}

export const ROOMY_LIMITS: GatewayLimits = {
  maxBodyBytes: 64 * 1024 * 1024,
  maxDecodedBytes: 256 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  maxTargetBytes: 8 * 1024,
  // A busy machine must not decide what a request comes to: tests of a limit set their own.
  headersTimeoutMs: 300_000,
  requestTimeoutMs: 300_000,
  turnTimeoutMs: 300_000,
  storeTimeoutMs: 300_000,
  storeRestartMs: 0,
  checkpointTimeoutMs: 300_000,
  maxOpenSessions: 64,
};

export interface StartedProxy extends HttpServer {
  readonly incidents: Extract<Activity, { readonly type: "incident" }>[];
}

/** Turns nothing: every request is sent as it came. */
export const NO_TURNS: Turns = { begin: async () => undefined };

/** The gateway's server before one upstream, with the rest as it is by default. */
export async function startProxy(
  upstream: string,
  { limits, ...options }: Partial<Omit<HttpServerOptions, "limits">> & { limits?: Partial<GatewayLimits> } = {},
): Promise<StartedProxy> {
  const feed = createActivityFeed();
  const incidents: StartedProxy["incidents"] = [];
  feed.listen((activity) => activity.type === "incident" && incidents.push(activity));
  const server = await startHttpServer({
    host: "127.0.0.1",
    port: 0,
    upstreams: { anthropic: upstream, openai: upstream, gemini: upstream },
    turns: NO_TURNS,
    feed,
    page: { answer: () => false },
    api: (request, response) => response.end(`api ${request.url}`),
    limits: { ...ROOMY_LIMITS, ...limits },
    ...options,
  });
  closing.push(() => server.close());
  return { ...server, incidents };
}

export interface WatchedTurns extends Turns {
  /** The bodies that turns were made of. */
  readonly bodies: string[];
  /** What followers were told, and how turns ended. */
  readonly told: string[];
  readonly outcomes: TurnOutcome[];
  /** Resolves with the next outcome that comes, or that came already and was not asked for. */
  nextOutcome(): Promise<TurnOutcome>;
}

/** Turns that do nothing but what the test says. */
export function watchedTurns(script: Partial<Turn> = {}, follow: Partial<ReplyFollower> = {}): WatchedTurns {
  const bodies: string[] = [];
  const told: string[] = [];
  const outcomes: TurnOutcome[] = [];
  let asked = 0;
  const follower: ReplyFollower = {
    push: (text) => void told.push(text),
    stage: () => "speaking",
    failure: () => undefined,
    usage: () => undefined,
    ...follow,
  };
  const turn: Turn = {
    modelId: "model-1",
    isStreaming: false,
    body: undefined,
    sent: () => undefined,
    beforeEnd: () => undefined,
    headers: () => ({ "x-palimpsest-session": "session-1" }),
    shorten: async () => undefined,
    end: (outcome) => void outcomes.push(outcome),
    follower,
    ...script,
  };
  return {
    bodies,
    told,
    outcomes,
    begin: async ({ body }) => {
      bodies.push(String(body));
      return turn;
    },
    nextOutcome: async () => {
      asked += 1;
      const wanted = asked;
      await waitFor(() => outcomes.length >= wanted);
      const outcome = outcomes[wanted - 1];
      if (outcome === undefined) throw new Error("no outcome");
      return outcome;
    },
  };
}

/** Resolves when something holds; fails when it does not within five minutes, which is long on a busy machine too. */
export async function waitFor(holds: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + 300_000;
  while (!(await holds())) {
    if (Date.now() > until) throw new Error(`not within five minutes: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Resolves when something holds, however long that takes: the time that a test has is the limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Posts to exactly this path, with exactly these headers: name, value, name, value … */
export function sendAsIs(url: string, headers: readonly string[], body: string): Promise<IncomingMessage> {
  const [, hostname = "", port = "", path = ""] = /^http:\/\/([^:]+):(\d+)(.*)$/.exec(url) ?? [];
  return new Promise((resolve, reject) => {
    request({ method: "POST", hostname, port, path, headers: [...headers] }, resolve)
      .on("error", reject)
      .end(body);
  });
}

/** Sends bytes as they are and resolves with everything that comes back until the connection ends. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  socket.write(bytes);
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}
