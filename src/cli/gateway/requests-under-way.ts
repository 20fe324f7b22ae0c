import { subscribe } from "node:diagnostics_channel";
import { IncomingMessage, ServerResponse } from "node:http";

/** The requests of agents that servers of this process have not answered in full. */
export interface RequestsUnderWay {
  /** Resolves when there are none, or after that time. */
  settled(timeoutMs: number): Promise<void>;
}

/** Counts them from now on; pages and streams of the gateway's own API are not waited for. */
export function followRequests(): RequestsUnderWay {
  const underWay = new Set<ServerResponse>();
  let onNone = () => {};
  subscribe("http.server.request.start", (message) => {
    if (!isStart(message) || message.request.url?.startsWith("/palimpsest/") === true) return;
    const { response } = message;
    underWay.add(response);
    response.once("close", () => {
      underWay.delete(response);
      if (underWay.size === 0) onNone();
    });
  });
  return {
    settled: (timeoutMs) =>
      new Promise((resolve) => {
        if (underWay.size === 0) return resolve();
        const timer = setTimeout(resolve, timeoutMs);
        onNone = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

/** What node publishes there. */
function isStart(
  message: unknown,
): message is { readonly request: IncomingMessage; readonly response: ServerResponse } {
  if (typeof message !== "object" || message === null) return false;
  if (!("request" in message && "response" in message)) return false;
  return message.request instanceof IncomingMessage && message.response instanceof ServerResponse;
}
