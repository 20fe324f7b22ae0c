import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { RawHeaders } from "./headers.ts";
import type { Upstream } from "./kept-connections.ts";

export interface UpstreamRequest {
  readonly method: string;
  /** The path includes the query. */
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | Readable | undefined;
}

/** The status line and headers of a reply. */
export interface ReplyHead {
  readonly status: number;
  readonly statusText: string;
  /** The headers as they came. */
  readonly raw: RawHeaders;
  /** The headers by name, in small letters. Several headers of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Called with the parts of a reply: its head, its data in pieces, its end. `onFailure` may come in place of any of them, and is the last call. */
export interface ReplyListener {
  onHead(head: ReplyHead): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onFailure(error: Error): void;
}

export interface SentRequest {
  /** Ends the request at once; the listener is not called again. */
  abort(): void;
  pause(): void;
  resume(): void;
}

/** Sends a request and calls the listener with its reply. Informational replies (1xx) are left out. */
export function sendUpstream(upstream: Upstream, request: UpstreamRequest, listener: ReplyListener): SentRequest {
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  upstream.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      if (isOver) started.abort(new Error("aborted"));
    },
    onResponseStart({ rawHeaders }, status, parsed, statusText = "") {
      if (isOver || status < 200) return;
      listener.onHead({ status, statusText, raw: asText(rawHeaders), headers: joined(parsed) });
    },
    onResponseData(_, chunk) {
      if (!isOver) listener.onData(chunk);
    },
    onResponseEnd() {
      if (isOver) return;
      isOver = true;
      listener.onEnd();
    },
    onResponseError(_, error) {
      if (isOver) return;
      isOver = true;
      listener.onFailure(error);
    },
  });
  return {
    abort() {
      if (isOver) return;
      isOver = true;
      controller?.abort(new Error("aborted"));
    },
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
  };
}

function asText(raw: Dispatcher.DispatchController["rawHeaders"]): RawHeaders {
  if (!Array.isArray(raw)) return [];
  return raw.map((part) => (typeof part === "string" ? part : part.toString("latin1")));
}

function joined(headers: Readonly<Record<string, string | readonly string[] | undefined>>): ReplyHead["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "object" ? value.join(", ") : value]),
  );
}
