import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { PalimpsestError } from "../../core/errors.ts";
import type { CloseOptions, GatewayLimits } from "../gateway.ts";
import type { Page } from "../page/create-page.ts";
import { createDrain } from "./drain.ts";
import { assertSafeBinding } from "./guard.ts";
import { createIncidentReport } from "./incidents.ts";
import { authorityOf } from "./loopback.ts";
import { createProxy, type ProxyOptions } from "./proxy.ts";
import { createServe } from "./serve.ts";

export interface HttpServerOptions extends ProxyOptions {
  /** The host to listen on. A host that other machines can reach needs a token. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** @default requests need no token */
  readonly token?: string | undefined;
  /** Answers requests for the dashboard's files. */
  readonly page: Page;
  /** Answers everything else under `/palimpsest`. */
  readonly api: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Stops listening, waits at most `graceMs` for the requests in flight, and ends every connection, hanging ones too. */
  close(options?: CloseOptions): Promise<void>;
}

/** Longer than clients keep an idle connection, so that the server does not close it while a client sends the next request. */
const KEEP_ALIVE_MS = 75_000;

/** Starts the HTTP server of the gateway: the dashboard, the API, and the proxy for everything else. Throws if it cannot listen. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, token, page, api } = options;
  assertSafeBinding({ host, token });
  const proxy = createProxy(options);
  const server = createServer(serverOptions(options.limits));
  const port = await listen(server, host, options.port);
  const { maxTargetBytes } = options.limits;
  const report = createIncidentReport(options.feed, options.now ?? Date.now);
  const serve = createServe({ policy: { host, port, token }, maxTargetBytes, page, api, proxy, report });
  const drain = createDrain(server);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    drain.follow(response);
    serve(request, response);
  };
  server.on("request", answer).on("checkContinue", answer);
  return {
    url: `http://${authorityOf(reachable(host), port)}`,
    port,
    close: async ({ graceMs = 0 } = {}) => {
      await drain.close(graceMs);
      await proxy.close();
    },
  };
}

function serverOptions({ maxHeaderBytes, headersTimeoutMs, requestTimeoutMs }: GatewayLimits) {
  return {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requestTimeout: Math.max(requestTimeoutMs, headersTimeoutMs),
    // how often Node looks for connections that exceed the two timeouts above
    connectionsCheckingInterval: Math.min(Math.max(headersTimeoutMs / 4, 20), 2_000),
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  };
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new PalimpsestError(
      code === "EADDRINUSE" ? "address-in-use" : "invalid-configuration",
      `The gateway cannot listen on ${authorityOf(host, port)} (${code}). Choose another port or host, or end what uses it.`,
    );
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** Returns a host that clients can connect to, in place of an address that stands for all interfaces. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
