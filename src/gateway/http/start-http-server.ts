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
  /** Others than loopback need a token. */
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** @default none is asked for */
  readonly token?: string | undefined;
  /** Answers for the files of the dashboard. */
  readonly page: Page;
  /** Answers everything else under `/palimpsest`. */
  readonly api: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Stops listening, gives the requests in flight so long to end, and ends every connection, hanging ones too. */
  close(options?: CloseOptions): Promise<void>;
}

/** Longer than clients keep a connection that they do not use, lest both close and use it at once. */
const KEEP_ALIVE_MS = 75_000;

/** Starts the gateway's server: its own API, and the proxy for everything else. */
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
    // how often node looks for connections that take too long
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

/** An address that means "everywhere" is none to go to. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
