import type { IncomingMessage, ServerResponse } from "node:http";

/** An error of the gateway itself, which is sent in the gateway's own format. */
export interface Fault {
  readonly status: number;
  readonly code:
    | "decoding-busy"
    | "forbidden-host"
    | "forbidden-origin"
    | "internal"
    | "invalid-target"
    | "request-too-large"
    | "target-too-long"
    | "unauthorized"
    | "upgrade-unsupported"
    | "upstream-timeout"
    | "upstream-unreachable";
  /** Says what is wrong and how to fix it. Never contains content of messages, keys or tokens. */
  readonly message: string;
  /** In seconds: when the client may try again. */
  readonly retryAfter?: number;
}

/** The answer to a request in which the gateway threw an unexpected error. */
export const BROKEN: Fault = {
  status: 500,
  code: "internal",
  message: "The gateway failed. Send the request again with the header x-palimpsest-bypass: 1, and report this.",
};

const LONGEST_LINGER_MS = 2_000;

/** Answers a request with a fault, unless its response has begun already. */
export function sendFault(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  if (response.headersSent || response.destroyed) return;
  const { status, code, message, retryAfter } = fault;
  const body = JSON.stringify({ error: { type: "palimpsest_error", code, message } });
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
  };
  if (request.complete || !hasBody(request)) {
    response.writeHead(status, headers).end(body);
    return;
  }
  response.writeHead(status, { ...headers, connection: "close" });
  response.write(body);
  endAfter(request, response);
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

// A client that is still sending would get a connection reset before it has read the answer. So the rest of its body is read and dropped for a while.
function endAfter(request: IncomingMessage, response: ServerResponse): void {
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LONGEST_LINGER_MS);
  request.once("close", end).once("end", end);
  request.on("error", () => {});
  request.resume();
}
