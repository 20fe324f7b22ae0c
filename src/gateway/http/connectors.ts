import { Socket } from "node:net";
// By its file: see kept-connections.ts.
import { buildConnector, Pool } from "undici/index.js";
import type { NetworkProxy } from "./network-proxy.ts";

export type Connector = buildConnector.connector;

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects to a host. undici takes a reset for the end of a reply that is ended by closing, and fails an assertion outside of any
 * request where that reply is paused meanwhile. Under another code it is an error of that request, and of no other.
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

/** The proxy of the network did not make a connection. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  /** What it answered, or why it did not. */
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

/** Connects to an https origin through a proxy, which sees its name and nothing else. */
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
