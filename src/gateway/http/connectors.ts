import { Socket } from "node:net";
// By its file: see kept-connections.ts.
import { buildConnector, Pool } from "undici/index.js";
import type { NetworkProxy } from "./network-proxy.ts";

export type Connector = buildConnector.connector;

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Returns a connector that gives a connection reset another error code. For a reply whose end is the end of the connection, undici treats
 * ECONNRESET as a regular end, and if that reply is paused at the time, an assertion fails outside of any request. With the other code the
 * reset is an error of its own request only.
 */
export function directConnector(): Connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      socket?.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNRESET") error.code = "UND_ERR_SOCKET";
      });
      callback(...result);
    });
}

/** Thrown if the network's proxy did not make a connection. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  /** The status that the proxy answered with, or the code of the error if it did not answer. */
  readonly code: string;

  constructor(code: string) {
    super(`The proxy made no connection (${code}).`);
    this.code = code;
  }
}

export interface Tunnels {
  readonly connect: Connector;
  close(): Promise<void>;
}

/** Connects to an https origin through tunnels of a proxy, which sees the origin's host and port and nothing else. */
export function openTunnels(origin: string, proxy: NetworkProxy): Tunnels {
  const { host, port } = new URL(origin);
  const path = port === "" ? `${host}:443` : host;
  const headers = { host: path, ...authorizationTo(proxy) };
  const proxies = new Pool(proxy.origin, {
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: CONNECT_TIMEOUT_MS,
  });
  const connect = directConnector();

  async function openTunnel(): Promise<Socket> {
    const { statusCode, socket } = await proxies.connect({ path, headers }).catch((error: unknown) => {
      throw new ProxyFailure(codeOf(error));
    });
    if (statusCode === 200 && socket instanceof Socket) return socket;
    socket.on("error", () => {}).destroy();
    throw new ProxyFailure(`${statusCode}`);
  }

  return {
    connect: (options, callback) => {
      openTunnel().then(
        (httpSocket) => connect({ ...options, httpSocket }, callback),
        (error) => callback(error, null),
      );
    },
    close: () => proxies.destroy(),
  };
}

export function authorizationTo({ authorization }: NetworkProxy): Readonly<Record<string, string>> {
  return authorization === undefined ? {} : { "proxy-authorization": authorization };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
