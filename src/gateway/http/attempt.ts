import type { IncomingMessage, ServerResponse } from "node:http";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Refusal, Turn } from "../turn.ts";
import { ProxyFailure } from "./connectors.ts";
import { codingOf } from "./content-coding.ts";
import { type Fault, sendFault } from "./fault.ts";
import { type Following, followReply } from "./follow-reply.ts";
import { type HeldReply, holdReply } from "./hold-reply.ts";
import type { ReportIncident } from "./incidents.ts";
import type { Upstream } from "./kept-connections.ts";
import { isEventStream } from "./refusal.ts";
import { holdEnd, openReplyWriter, type ReplyWriter } from "./reply-writer.ts";
import { sendRecalling } from "./send-recalling.ts";
import {
  type ReplyHead,
  type ReplyListener,
  type SentRequest,
  sendUpstream,
  type UpstreamRequest,
} from "./send-upstream.ts";

export interface AttemptOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly origin: string;
  readonly sending: UpstreamRequest;
  readonly turn: Turn | undefined;
  /** Whether a shorter request may be sent if the upstream refuses this one as too long. */
  readonly mayRetry: boolean;
  readonly report: ReportIncident;
  /** Called when the upstream refused the request as too long, and nothing of the reply was written to the client yet. */
  readonly onTooLong: (refusal: Refusal) => void;
}

/** A request that was sent upstream once, and the passing of its reply to the client. */
export interface Attempt {
  /** The status of the reply; undefined until the upstream answered. */
  status(): number | undefined;
  /** Whether the reply came to its end. */
  isWhole(): boolean;
  /** Resolves when all of a whole reply was pushed to the follower. */
  followed(): Promise<void>;
  /** Passes a reply that was held back as a refusal on to the client. */
  passOn(): void;
  abort(): void;
}

/** In characters. A follower keeps a reply that is not streamed in memory until its end, and stops following a longer one. */
const LONGEST_WHOLE_REPLY = 32 * 1024 * 1024;

export function startAttempt(options: AttemptOptions): Attempt {
  let sent: SentRequest | undefined;
  const reply = receiveReply(options, { pause: () => sent?.pause(), resume: () => sent?.resume() });
  sent = send(options, reply.listener);
  return {
    status: reply.status,
    isWhole: reply.isWhole,
    followed: reply.followed,
    passOn: () => {
      reply.release();
      sent?.resume();
    },
    abort: () => {
      reply.stop();
      sent?.abort();
    },
  };
}

function send({ upstream, sending, turn, report }: AttemptOptions, listener: ReplyListener): SentRequest {
  const loop = turn?.loop;
  return loop === undefined
    ? sendUpstream(upstream, sending, listener)
    : sendRecalling(upstream, sending, { loop, report, listener });
}

/** The handling of one reply: writes it to the client, holds it back if needed, and pushes its text to the turn's follower. */
interface ReceivedReply extends Pick<Attempt, "status" | "isWhole" | "followed"> {
  readonly listener: ReplyListener;
  /** Writes what is held back to the client. */
  release(): void;
  /** Stops examining and following the reply. What is held back is not written. */
  stop(): void;
}

function receiveReply(options: AttemptOptions, flow: Pick<SentRequest, "pause" | "resume">): ReceivedReply {
  const { request, response, origin } = options;
  const watch = watchReply(options, flow);
  let head: ReplyHead | undefined;
  let writer: ReplyWriter | undefined;
  let isWhole = false;
  const listener: ReplyListener = {
    onHead: (received) => {
      head = received;
      writer = openWriter(received, options, flow);
      watch.begin(received, writer);
    },
    onData: (chunk) => {
      writer?.write(chunk);
      watch.onData(chunk);
    },
    onEnd: () => {
      isWhole = true;
      writer?.end();
      watch.onEnd();
    },
    onFailure: (error) => {
      watch.onFailure();
      if (head === undefined) sendFault(request, response, upstreamFault(origin, error));
      writer?.cut();
      watch.release();
    },
  };
  const { followed, release, stop } = watch;
  return { listener, status: () => head?.status, isWhole: () => isWhole, followed, release, stop };
}

/**
 * The watch over a reply on its way to the client: the reply is held back while it may be a refusal, and its text is pushed to the turn's follower.
 * An error in either ends the watch, and the reply is passed on.
 */
interface ReplyWatch extends Pick<ReceivedReply, "followed" | "release" | "stop"> {
  begin(head: ReplyHead, writer: ReplyWriter): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** Called when the reply broke off: the rest of its text will not come. */
  onFailure(): void;
}

function watchReply(options: AttemptOptions, { pause }: Pick<SentRequest, "pause">): ReplyWatch {
  const { turn, report } = options;
  // Read once, because the turn has another follower for the next attempt.
  const follower = turn?.follower;
  let held: HeldReply | undefined;
  let following: Following | undefined;
  let followed = Promise.resolve();
  let passOn = () => {};

  function stop(): void {
    held?.stop();
    following?.stop();
  }

  function guarded(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      report(what, error);
      stop();
      held = undefined;
      following = undefined;
      passOn();
    }
  }

  return {
    begin: (head, writer) => {
      passOn = writer.release;
      const retriable = options.mayRetry ? turn : undefined;
      const onTooLong = (refusal: Refusal) => {
        // The rest of the refusal is read only if `passOn` of the attempt is called.
        pause();
        options.onTooLong(refusal);
      };
      guarded("holding a reply", () => {
        held = holdReply({ writer, head, turn: retriable, follower, report, onTooLong });
      });
      guarded("following a reply", () => {
        if (held?.holdsAll !== true) following = follower && follow(head, { follower, report, held: () => held });
      });
    },
    onData: (chunk) => {
      guarded("following a reply", () => following?.push(chunk));
      guarded("holding a reply", () => held?.onData());
    },
    onEnd: () => {
      const lose = (error: unknown) => {
        report("following a reply", error);
        held?.lost();
      };
      guarded("following a reply", () => {
        if (following !== undefined) followed = following.end().catch(lose);
      });
      guarded("holding a reply", () => held?.ended(followed));
    },
    onFailure: () => following?.stop(),
    followed: () => followed,
    release: () => held?.release(),
    stop,
  };
}

function openWriter(
  head: ReplyHead,
  { response, turn }: AttemptOptions,
  { pause, resume }: Pick<SentRequest, "pause" | "resume">,
): ReplyWriter {
  const ownHeaders = () => turn?.headers() ?? {};
  const writer = openReplyWriter({ response, head, ownHeaders, onFull: pause, onDrained: resume });
  // An error has no tool calls that could change the agent's files, so it need not wait until they are saved.
  return head.status < 300 ? holdEnd(writer, turn?.beforeEnd()) : writer;
}

interface FollowPorts extends Pick<AttemptOptions, "report"> {
  readonly follower: ReplyFollower;
  readonly held: () => HeldReply | undefined;
}

function follow({ headers }: ReplyHead, { follower, report, held }: FollowPorts): Following {
  return followReply({
    follower,
    coding: codingOf(headers["content-encoding"]),
    maxTextLength: isEventStream(headers["content-type"]) ? Number.POSITIVE_INFINITY : LONGEST_WHOLE_REPLY,
    onFollowed: () => held()?.onFollowed(),
    onLost: () => held()?.lost(),
    onThrown: (error) => report("following a reply", error),
  });
}

const TIMEOUTS: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
]);

/** The fault that a client gets if its upstream never answered. */
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
