import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "../turn.ts";
import { codingOf } from "./content-coding.ts";
import { sendFault } from "./fault.ts";
import { type Following, followReply } from "./follow-reply.ts";
import type { OwnHeaders } from "./headers.ts";
import type { ReportIncident } from "./incidents.ts";
import type { Upstream } from "./kept-connections.ts";
import { type Outlet, openOutlet } from "./outlet.ts";
import {
  type Conversation,
  type Examination,
  examinationOf,
  isEventStream,
  MOST_REFUSAL_BYTES,
  readRefusal,
  refusalOf,
} from "./refusal.ts";
import { type ReplyHead, sendUpstream, type UpstreamRequest } from "./send-upstream.ts";
import { upstreamFault } from "./upstream-fault.ts";

export interface AttemptOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly origin: string;
  readonly sending: UpstreamRequest;
  readonly conversation: Conversation | undefined;
  /** Whether a refusal could be answered by sending less. */
  readonly mayRetry: boolean;
  readonly report: ReportIncident;
  /** The upstream refused it as too long, and the client knows nothing of it yet. */
  readonly onTooLong: (refusal: Refusal) => void;
}

/** A request that was sent upstream, with its reply on the way to the client. */
export interface Attempt {
  /** Undefined until the upstream answered. */
  status(): number | undefined;
  /** Whether the reply came to its end. */
  isWhole(): boolean;
  /** Resolves when the follower was told everything of a whole reply. */
  followed(): Promise<void>;
  /** Lets the client have the reply after all. */
  passOn(): void;
  abort(): void;
}

/** How long a stream that has only begun is held back: what fails at once can still be sent again. */
const LONGEST_HOLD_MS = 250;
/** In characters. A follower keeps a reply that is not streamed. */
const LONGEST_WHOLE_REPLY = 32 * 1024 * 1024;

export function startAttempt(options: AttemptOptions): Attempt {
  const { request, response, conversation, report, onTooLong } = options;
  const turn = conversation?.turn;
  const follower = turn?.follower;
  let head: ReplyHead | undefined;
  let outlet: Outlet | undefined;
  let following: Following | undefined;
  let followed = Promise.resolve();
  let examination: Examination = "none";
  let holdTimer: NodeJS.Timeout | undefined;
  let isWhole = false;

  const sent = sendUpstream(options.upstream, options.sending, { onHead, onData, onEnd, onFailure });

  function onHead(received: ReplyHead): void {
    head = received;
    if (conversation !== undefined && options.mayRetry) examination = examinationOf(head, conversation);
    const flow = { onFull: () => sent.pause(), onDrained: () => sent.resume() };
    outlet = openOutlet({ response, head, ownHeaders, ...flow });
    if (examination !== "refusal") following = follow(head);
    if (examination === "opening") holdTimer = setTimeout(letGo, LONGEST_HOLD_MS);
    if (examination === "none") outlet.release();
  }

  function onData(chunk: Buffer): void {
    outlet?.write(chunk);
    following?.push(chunk);
    if (examination !== "none" && (outlet?.heldBytes() ?? 0) > MOST_REFUSAL_BYTES) letGo();
  }

  function onEnd(): void {
    isWhole = true;
    outlet?.end();
    if (following !== undefined) followed = following.end();
    if (examination === "refusal") void examineAnswer();
    if (examination === "opening") void followed.then(() => examination === "opening" && letGo());
  }

  function onFailure(error: Error): void {
    following?.stop();
    if (head === undefined) sendFault(request, response, upstreamFault(options.origin, error));
    outlet?.cut();
    letGo();
  }

  function follow({ headers }: ReplyHead): Following | undefined {
    if (follower === undefined) return undefined;
    return followReply({
      follower,
      coding: codingOf(headers["content-encoding"]),
      maxTextLength: isEventStream(headers["content-type"]) ? Number.POSITIVE_INFINITY : LONGEST_WHOLE_REPLY,
      onTold: examineStage,
      onThrown: (error) => report("following a reply", error),
    });
  }

  async function examineAnswer(): Promise<void> {
    const refusal = await refusalHeld();
    if (refusal !== undefined) onTooLong(refusal);
    else letGo();
  }

  async function refusalHeld(): Promise<Refusal | undefined> {
    if (head === undefined || outlet === undefined) return undefined;
    try {
      return await refusalOf(head, outlet.held());
    } catch (error) {
      report("reading a refusal", error);
      return undefined;
    }
  }

  function examineStage(): void {
    if (examination !== "opening" || follower === undefined) return;
    try {
      const stage = follower.stage();
      if (stage === "opening") return;
      const failure = stage === "failed" ? follower.failure() : undefined;
      const refusal = failure && readRefusal(failure);
      if (refusal === undefined) letGo();
      else retryWith(refusal);
    } catch (error) {
      report("following a reply", error);
      letGo();
    }
  }

  function retryWith(refusal: Refusal): void {
    stopHolding();
    sent.pause();
    onTooLong(refusal);
  }

  function stopHolding(): void {
    examination = "none";
    clearTimeout(holdTimer);
  }

  function letGo(): void {
    stopHolding();
    outlet?.release();
  }

  function ownHeaders(): OwnHeaders {
    try {
      return turn?.headers() ?? {};
    } catch (error) {
      report("headers of a reply", error);
      return {};
    }
  }

  return {
    status: () => head?.status,
    isWhole: () => isWhole,
    followed: () => followed,
    passOn: () => {
      letGo();
      sent.resume();
    },
    abort: () => {
      stopHolding();
      following?.stop();
      sent.abort();
    },
  };
}
