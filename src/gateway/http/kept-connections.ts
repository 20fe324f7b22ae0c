import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
// Imported by its file: Bun replaces the bare name by a module of its own, which has no pools.
import { Client, Pool } from "undici/index.js";
import type { Connector } from "./connectors.ts";
import type { UpstreamRequest } from "./send-upstream.ts";

/** Sends requests to the server of one origin. */
export interface Upstream {
  dispatch(request: UpstreamRequest, handler: Dispatcher.DispatchHandler): void;
}

/** A pool of connections to one server, which are kept alive and reused. */
export interface KeptConnections extends Upstream {
  /** Ends all connections at once. */
  close(): Promise<void>;
}

export interface KeptConnectionsOptions {
  readonly origin: string;
  readonly connect: Connector;
  readonly headersTimeoutMs: number;
}

const MOST_HEADER_BYTES = 256 * 1024;

/**
 * Opens a pool of connections that survives a common race: a server may close an idle connection while the next request is on its way to it. If
 * not a byte of a reply came back, and the request's body is not a stream, the request is sent once more on a connection of its own.
 */
export function keepConnections({ origin, connect, headersTimeoutMs }: KeptConnectionsOptions): KeptConnections {
  const options = {
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    // a model may pause between two words for any time
    bodyTimeout: 0,
  };
  const sockets: RequestSockets = new WeakMap();
  const pool = new Pool(origin, { factory: () => openClient(origin, { ...options, connect, sockets }) });
  const retryClients = new Set<Client>();

  function sendAgain(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const client = new Client(origin, { ...options, connect });
    retryClients.add(client);
    client.dispatch(request, handler);
    // resolves when the reply has ended
    void client.close().finally(() => retryClients.delete(client));
  }

  return {
    dispatch: (sending, handler) => {
      const request = { ...sending, body: sending.body ?? null };
      const isRepeatable = !(sending.body instanceof Readable);
      const socketOf = () => sockets.get(request)?.();
      const again = () => sendAgain(request, handler);
      pool.dispatch(request, isRepeatable ? retryIfStale(handler, socketOf, again) : handler);
    },
    close: async () => {
      await Promise.all([pool, ...retryClients].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** For each request in flight, the socket that it is sent on. */
type RequestSockets = WeakMap<Dispatcher.DispatchOptions, () => Socket | undefined>;

interface NotingClientOptions extends Client.Options {
  readonly connect: Connector;
  readonly sockets: RequestSockets;
}

/** Opens a client of the pool, and notes the sockets of its requests. A client has one connection at a time, so the socket of a request is that of its client. */
function openClient(origin: string, { connect, sockets, ...options }: NotingClientOptions): Client {
  let socket: Socket | undefined;
  const connectAndNote: Connector = (target, callback) =>
    connect(target, (...result) => {
      socket = result[1] ?? undefined;
      callback(...result);
    });
  const client = new Client(origin, { ...options, connect: connectAndNote });
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request, handler) => {
    sockets.set(request, () => socket);
    return dispatch(request, handler);
  };
  return client;
}

/** Returns a handler that calls `again` in place of the error where an idle connection was closed before a byte of the reply came back on it. */
function retryIfStale(
  handler: Dispatcher.DispatchHandler,
  socketOf: () => Socket | undefined,
  again: () => void,
): Dispatcher.DispatchHandler {
  let socket: Socket | undefined;
  let bytesBefore = 0;
  return {
    ...handler,
    onRequestStart: (controller, context) => {
      socket = socketOf();
      bytesBefore = socket?.bytesRead ?? 0;
      handler.onRequestStart?.(controller, context);
    },
    onResponseError: (controller, error) => {
      const isStale = bytesBefore > 0 && socket?.bytesRead === bytesBefore && isClosing(error);
      if (isStale) again();
      else handler.onResponseError?.(controller, error);
    },
  };
}

const CLOSING: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

function isClosing(error: Error): boolean {
  return "code" in error && CLOSING.has(error.code);
}
