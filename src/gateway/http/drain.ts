import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";

/** The requests of a server that are not answered in full, and its end. */
export interface Drain {
  /** Counts a request as in flight until its reply has ended, however that is. */
  follow(response: ServerResponse): void;
  /** Stops listening, waits for the requests in flight, and ends every connection, hanging ones too. A later call may wait less. */
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
      // nothing else comes on a connection that is about to end
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
