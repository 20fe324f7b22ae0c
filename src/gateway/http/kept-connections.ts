import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
// By its file: the bare name is a module of its own on Bun, which has no pools.
import { Client, Pool } from "undici/index.js";
import type { Connector } from "./connectors.ts";
import type { UpstreamRequest } from "./send-upstream.ts";

/** A server that requests of one origin are sent to. */
export interface Upstream {
  dispatch(request: UpstreamRequest, handler: Dispatcher.DispatchHandler): void;
}

/** Connections to one server, which are kept and used again. */
export interface KeptConnections extends Upstream {
  /** Ends all of them. */
  close(): Promise<void>;
}

export interface KeptConnectionsOptions {
  readonly origin: string;
  readonly connect: Connector;
  readonly headersTimeoutMs: number;
}

const MOST_HEADER_BYTES = 256 * 1024;

/**
 * A server may close a connection that it kept just when the next request is on its way. Where not a byte came back, and the body is
 * still there, that request is sent once more on a connection of its own.
 */
export function keepConnections({ origin, connect, headersTimeoutMs }: KeptConnectionsOptions): KeptConnections {
  const options = {
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: headersTimeoutMs,
    // a model may think between two words for as long as it likes
    bodyTimeout: 0,
  };
  const socketOf = new WeakMap<Dispatcher.DispatchOptions, () => Socket | undefined>();
  const once = new Set<Client>();
  const pool = new Pool(origin, { factory: openClient });

  /** A client of the pool has one connection at a time: the socket of a request is that of its client. */
  function openClient(): Client {
    let socket: Socket | undefined;
    const connectIt: Connector = (target, callback) =>
      connect(target, (...result) => {
        socket = result[1] ?? undefined;
        callback(...result);
      });
    const client = new Client(origin, { ...options, connect: connectIt });
    const dispatch = client.dispatch.bind(client);
    client.dispatch = (request, handler) => {
      socketOf.set(request, () => socket);
      return dispatch(request, handler);
    };
    return client;
  }

  function sendAgain(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const client = new Client(origin, { ...options, connect });
    once.add(client);
    client.dispatch(request, handler);
    // when the reply has ended
    void client.close().finally(() => once.delete(client));
  }

  function dispatch(sending: UpstreamRequest, handler: Dispatcher.DispatchHandler): void {
    const request = { ...sending, body: sending.body ?? null };
    if (sending.body instanceof Readable) return void pool.dispatch(request, handler);
    let socket: Socket | undefined;
    let bytesBefore = 0;
    const watched: Dispatcher.DispatchHandler = {
      ...handler,
      onRequestStart: (controller, context) => {
        socket = socketOf.get(request)?.();
        bytesBefore = socket?.bytesRead ?? 0;
        handler.onRequestStart?.(controller, context);
      },
      onResponseError: (controller, error) => {
        const isStale = bytesBefore > 0 && socket?.bytesRead === bytesBefore && isClosing(error);
        if (isStale) sendAgain(request, handler);
        else handler.onResponseError?.(controller, error);
      },
    };
    pool.dispatch(request, watched);
  }

  return {
    dispatch,
    close: async () => {
      await Promise.all([pool, ...once].map((each) => each.destroy()));
    },
  };
}

const CLOSING: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

function isClosing(error: Error): boolean {
  return "code" in error && CLOSING.has(error.code);
}
