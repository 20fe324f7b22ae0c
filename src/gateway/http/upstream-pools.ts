import { buildConnector, type Dispatcher, Pool } from "undici";

export interface UpstreamPools {
  /** The connections to an origin, which are kept and used again. */
  of(origin: string): Dispatcher;
  /** Ends every connection. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MOST_HEADER_BYTES = 256 * 1024;

export function openUpstreamPools(headersTimeoutMs: number): UpstreamPools {
  const pools = new Map<string, Pool>();
  return {
    of: (origin) => {
      const pool = pools.get(origin) ?? openPool(origin, headersTimeoutMs);
      pools.set(origin, pool);
      return pool;
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function openPool(origin: string, headersTimeout: number): Pool {
  return new Pool(origin, {
    connect: connectOnce(),
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout,
    // a model may think between two words for as long as it likes
    bodyTimeout: 0,
  });
}

/**
 * undici takes a reset for the end of a reply that is ended by closing, and fails an assertion outside of any request where that
 * reply is paused meanwhile. Under another code it is an error of that request, and of no other.
 */
function connectOnce(): buildConnector.connector {
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
