import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";

/** Counts a server's requests in flight, and closes the server once they have ended. */
export interface Drain {
  /** Counts a request as in flight until its response is closed, whether or not the reply was complete. */
  follow(response: ServerResponse): void;
  /**
   * Stops listening, waits at most `graceMs` for the requests in flight, and then ends every connection, hanging ones too. May be called again
   * with a shorter wait.
   */
  close(graceMs: number): Promise<void>;
}

export function createDrain(server: Server): Drain {
  const inFlight = new Set<ServerResponse>();
  const idleListeners = new Set<() => void>();
  let closed: Promise<unknown> | undefined;

  function settled(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (inFlight.size === 0 || graceMs <= 0) return resolve();
      const finish = () => {
        clearTimeout(timer);
        idleListeners.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, graceMs);
      idleListeners.add(finish);
    });
  }

  return {
    follow: (response) => {
      inFlight.add(response);
      // the client must not send another request on a connection that is about to be closed
      if (closed !== undefined) response.shouldKeepAlive = false;
      response.once("close", () => {
        inFlight.delete(response);
        if (inFlight.size === 0) for (const finish of idleListeners) finish();
      });
    },
    close: async (graceMs) => {
      closed ??= once(server.close(), "close");
      for (const response of inFlight) response.shouldKeepAlive = false;
      await settled(graceMs);
      server.closeAllConnections();
      await closed;
    },
  };
}
