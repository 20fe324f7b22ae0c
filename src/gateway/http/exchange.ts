import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { NO_FOLLOWER, type Refusal, type Turn } from "../turn.ts";
import { within } from "../within.ts";
import { type Attempt, startAttempt } from "./attempt.ts";
import { requestHeaders } from "./headers.ts";
import { LATE, type ReportIncident } from "./incidents.ts";
import type { Upstream } from "./kept-connections.ts";
import type { UpstreamRequest } from "./send-upstream.ts";

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly origin: string;
  /** The path at the upstream, with the query. */
  readonly path: string;
  /** The client's body, unchanged. */
  readonly body: Buffer | Readable | undefined;
  /** Undefined if the request has no conversation: then it is forwarded unchanged, and never sent again. */
  readonly turn: Turn | undefined;
  readonly turnTimeoutMs: number;
  readonly report: ReportIncident;
}

/** Turns stop retrying earlier by themselves. The limit is for a faulty turn, which could otherwise send requests without end. */
const MOST_RETRIES = 4;

/** Forwards a request, passes its reply on, and ends the turn once the response to the client is closed. */
export function startExchange(options: ExchangeOptions): void {
  const { response, report } = options;
  const turn = options.turn && guardTurn(options.turn, report);
  let retries = 0;
  let attempt = send(turn?.body);
  turn?.sent();
  response.once("close", () => void finish());

  function send(changed: string | undefined): Attempt {
    const sending = changed === undefined ? unchangedRequest(options) : changedRequest(options, changed);
    const onTooLong = (refusal: Refusal) => void retry(refusal);
    return startAttempt({ ...options, turn, sending, mayRetry: retries < MOST_RETRIES, onTooLong });
  }

  /** Never rejects. */
  async function retry(refusal: Refusal): Promise<void> {
    const shorter = turn && (await shorterBody(turn, refusal, options));
    if (response.headersSent || response.destroyed) return;
    const refused = attempt;
    try {
      if (shorter === undefined) return refused.passOn();
      retries += 1;
      attempt = send(shorter);
      refused.abort();
    } catch (error) {
      report("sending a request again", error);
      refused.passOn();
    }
  }

  async function finish(): Promise<void> {
    const isComplete = attempt.isWhole() && response.writableFinished;
    if (isComplete) await attempt.followed();
    attempt.abort();
    turn?.end({ status: attempt.status(), isComplete });
  }
}

/** The body to send after a refusal; undefined where there is none, or where making it failed or took too long, which is reported. */
async function shorterBody(
  turn: Turn,
  refusal: Refusal,
  { turnTimeoutMs, report }: ExchangeOptions,
): Promise<string | undefined> {
  const shorter = await within(turnTimeoutMs, () => turn.shorten(refusal));
  if (shorter.type === "done") return shorter.value;
  report("shortening a request", shorter.type === "failed" ? shorter.error : LATE);
  return undefined;
}

function unchangedRequest({ request, path, body }: ExchangeOptions): UpstreamRequest {
  const { method = "GET", rawHeaders } = request;
  const headers = requestHeaders(rawHeaders, "unchanged");
  const length = request.headers["content-length"];
  if (body !== undefined && length !== undefined) headers.push("content-length", length);
  return { method, path, headers, body };
}

function changedRequest({ request, path }: ExchangeOptions, body: string): UpstreamRequest {
  const { method = "POST", rawHeaders } = request;
  return { method, path, headers: requestHeaders(rawHeaders, "changed"), body: Buffer.from(body) };
}

/**
 * Wraps a turn so that an error in a member is reported and replaced by a neutral value, and the request goes on. Two things may still fail,
 * and their callers handle that: `shorten` may reject, and the members of the follower and the loop may throw.
 */
function guardTurn(turn: Turn, report: ReportIncident): Turn {
  function safely<Value>(what: string, read: () => Value, otherwise: Value): Value {
    try {
      return read();
    } catch (error) {
      report(what, error);
      return otherwise;
    }
  }
  return {
    modelId: safely("reading a turn", () => turn.modelId, ""),
    isStreaming: safely("reading a turn", () => turn.isStreaming, false),
    body: safely("reading a turn", () => turn.body, undefined),
    sent: () => safely("writing a request down", () => turn.sent(), undefined),
    beforeEnd: () => safely("waiting for the end of a reply", () => turn.beforeEnd(), undefined),
    headers: () => safely("headers of a reply", () => turn.headers(), {}),
    // Its caller reports the rejection.
    shorten: async (refusal) => turn.shorten(refusal),
    get follower() {
      return safely("following a reply", () => turn.follower, NO_FOLLOWER);
    },
    get loop() {
      return safely("recalling in a reply", () => turn.loop, undefined);
    },
    end: (outcome) => safely("ending a turn", () => turn.end(outcome), undefined),
  };
}
