import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal, Turn } from "../turn.ts";
import { ProxyFailure } from "./connectors.ts";
import { codingOf } from "./content-coding.ts";
import { type Fault, sendFault } from "./fault.ts";
import { type Following, followReply } from "./follow-reply.ts";
import { holdEnd } from "./hold-end.ts";
import { type HeldReply, holdReply } from "./hold-reply.ts";
import type { ReportIncident } from "./incidents.ts";
import type { Upstream } from "./kept-connections.ts";
import { isEventStream } from "./refusal.ts";
import { openReplyWriter, type ReplyWriter } from "./reply-writer.ts";
import { sendRecalling } from "./send-recalling.ts";
import { type ReplyHead, sendUpstream, type UpstreamRequest } from "./send-upstream.ts";

export interface AttemptOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly origin: string;
  readonly sending: UpstreamRequest;
  readonly turn: Turn | undefined;
  /** Whether a refusal could be answered by sending less. */
  readonly mayRetry: boolean;
  readonly report: ReportIncident;
  /** Called when the upstream refused the request as too long, and nothing of the reply was written to the client yet. */
  readonly onTooLong: (refusal: Refusal) => void;
}

/** A request that was sent upstream, with its reply on the way to the client. */
export interface Attempt {
  /** Undefined until the upstream answered. */
  status(): number | undefined;
  /** Whether the reply came to its end. */
  isWhole(): boolean;
  /** Resolves when all of a whole reply was pushed to the follower. */
  followed(): Promise<void>;
  /** Lets the client have the reply after all. */
  passOn(): void;
  abort(): void;
}

/** In characters. A follower keeps a reply that is not streamed. */
const LONGEST_WHOLE_REPLY = 32 * 1024 * 1024;

export function startAttempt(options: AttemptOptions): Attempt {
  const { request, response, turn, report, onTooLong } = options;
  // Read once: the next attempt has another follower.
  const follower = turn?.follower;
  let head: ReplyHead | undefined;
  let writer: ReplyWriter | undefined;
  let held: HeldReply | undefined;
  let following: Following | undefined;
  let followed = Promise.resolve();
  let isWhole = false;

  const listener = { onHead, onData, onEnd, onFailure };
  const loop = turn?.loop;
  const sent =
    loop === undefined
      ? sendUpstream(options.upstream, options.sending, listener)
      : sendRecalling(options.upstream, options.sending, { loop, report, listener });

  /** Runs something of ours; where it throws, the rest of the reply is passed on as it comes. */
  function guarded(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      report(what, error);
      held?.stop();
      following?.stop();
      held = undefined;
      following = undefined;
      writer?.release();
    }
  }

  function onHead(received: ReplyHead): void {
    head = received;
    const flow = { onFull: () => sent.pause(), onDrained: () => sent.resume() };
    const reply = openReplyWriter({ response, head, ownHeaders: () => turn?.headers() ?? {}, ...flow });
    // What is no answer has nothing for an agent to act on.
    const opened = received.status < 300 ? holdEnd(reply, turn?.beforeEnd()) : reply;
    writer = opened;
    const retriable = options.mayRetry ? turn : undefined;
    guarded("holding a reply", () => {
      held = holdReply({ writer: opened, head: received, turn: retriable, follower, report, onTooLong: refuse });
    });
    guarded("following a reply", () => {
      if (held?.holdsAll !== true) following = follow(received);
    });
  }

  function onData(chunk: Buffer): void {
    writer?.write(chunk);
    guarded("following a reply", () => following?.push(chunk));
    guarded("holding a reply", () => held?.onData());
  }

  function onEnd(): void {
    isWhole = true;
    writer?.end();
    guarded("following a reply", () => {
      if (following !== undefined) followed = following.end().catch(lose);
    });
    guarded("holding a reply", () => held?.ended(followed));
  }

  function onFailure(error: Error): void {
    following?.stop();
    if (head === undefined) sendFault(request, response, upstreamFault(options.origin, error));
    writer?.cut();
    held?.release();
  }

  /** The follower failed after the end of the reply. */
  function lose(error: unknown): void {
    report("following a reply", error);
    held?.lost();
  }

  function refuse(refusal: Refusal): void {
    // The rest of the refusal is needed only where it is passed on to the client after all.
    sent.pause();
    onTooLong(refusal);
  }

  function follow({ headers }: ReplyHead): Following | undefined {
    if (follower === undefined) return undefined;
    return followReply({
      follower,
      coding: codingOf(headers["content-encoding"]),
      maxTextLength: isEventStream(headers["content-type"]) ? Number.POSITIVE_INFINITY : LONGEST_WHOLE_REPLY,
      onFollowed: () => held?.onFollowed(),
      onLost: () => held?.lost(),
      onThrown: (error) => report("following a reply", error),
    });
  }

  return {
    status: () => head?.status,
    isWhole: () => isWhole,
    followed: () => followed,
    passOn: () => {
      held?.release();
      sent.resume();
    },
    abort: () => {
      held?.stop();
      following?.stop();
      sent.abort();
    },
  };
}

const TIMEOUTS: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
]);

/** The answer to a client whose upstream never answered. */
function upstreamFault(origin: string, error: Error): Fault {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  if (error instanceof ProxyFailure) {
    const message = `The proxy that the environment names made no connection to ${origin} (${code}). Check HTTPS_PROXY, or list the upstream's host in NO_PROXY.`;
    return { status: 502, code: "upstream-unreachable", message };
  }
  if (TIMEOUTS.has(code)) {
    const message = `${origin} did not answer in time (${code}). Try again, or check the upstream that the gateway was given.`;
    return { status: 504, code: "upstream-timeout", message };
  }
  const message = `${origin} could not be reached, or closed the connection without an answer (${code}). Check the network, and the upstream that the gateway was given.`;
  return { status: 502, code: "upstream-unreachable", message };
}
