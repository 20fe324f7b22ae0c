import type { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReplyLoop } from "../turn.ts";
import { codingOf, createDecoder } from "./content-coding.ts";
import { withLength, withoutCompression, withoutLength } from "./headers.ts";
import type { ReportIncident } from "./incidents.ts";
import type { Upstream } from "./kept-connections.ts";
import { isEventStream, refusalOf } from "./refusal.ts";
import {
  type ReplyHead,
  type ReplyListener,
  type SentRequest,
  sendUpstream,
  type UpstreamRequest,
} from "./send-upstream.ts";

export interface RecallingOptions {
  readonly loop: ReplyLoop;
  readonly report: ReportIncident;
  readonly listener: ReplyListener;
}

/** The name of incidents in this file. */
const WHAT = "recalling in a reply";

/**
 * Sends a request that offers the recall tool. Calls of the tool are answered here, by further requests, and the listener gets all their
 * replies merged into one. If the loop fails, the rest of the reply is passed on unchanged where that is possible.
 */
export function sendRecalling(upstream: Upstream, request: UpstreamRequest, options: RecallingOptions): SentRequest {
  const plain = { ...request, headers: withoutCompression(request.headers) };
  const { listener } = options;
  let isAborted = false;
  const reply = joinReplies({
    ...options,
    isAborted: () => isAborted,
    sendNext: (body) => {
      sent = sendUpstream(upstream, { ...plain, body: Buffer.from(body) }, listenToLaterReply(reply, listener));
    },
  });
  let sent = sendUpstream(upstream, plain, listenToFirstReply(reply, listener));
  return {
    abort: () => {
      isAborted = true;
      sent.abort();
    },
    pause: () => sent.pause(),
    resume: () => sent.resume(),
  };
}

/** The merged reply that the listener gets. */
interface JoinedReply {
  /** Called with the head of the first reply. */
  begin(head: ReplyHead): void;
  /** Called with each piece of a reply's text. */
  take(text: string): void;
  /** Called at the end of a reply: sends a further request, or ends the merged reply. Never rejects. */
  finish(): Promise<void>;
  /** Called when a further request was refused: sends a shorter one, or ends the merged reply. Never rejects. */
  refuse(head: ReplyHead, body: Buffer): Promise<void>;
}

function listenToFirstReply(reply: JoinedReply, listener: ReplyListener): ReplyListener {
  let reading: ReplyText | undefined;
  return {
    onHead(head) {
      const coding = codingOf(head.headers["content-encoding"]);
      if (head.status >= 300 || coding === "unknown") return listener.onHead(head);
      reading = readText(head, reply);
      reply.begin(head);
    },
    onData: (chunk) => (reading === undefined ? listener.onData(chunk) : reading.push(chunk)),
    onEnd: () => (reading === undefined ? listener.onEnd() : reading.end()),
    onFailure: listener.onFailure,
  };
}

function listenToLaterReply(reply: JoinedReply, listener: ReplyListener): ReplyListener {
  let reading: ReplyText | undefined;
  const refused: Buffer[] = [];
  let head: ReplyHead | undefined;
  return {
    onHead(received) {
      head = received;
      if (received.status < 300) reading = readText(received, reply);
    },
    onData: (chunk) => (reading === undefined ? void refused.push(chunk) : reading.push(chunk)),
    onEnd: () => {
      if (reading === undefined && head !== undefined) void reply.refuse(head, Buffer.concat(refused));
      else reading?.end();
    },
    onFailure: listener.onFailure,
  };
}

interface JoinOptions extends RecallingOptions {
  readonly isAborted: () => boolean;
  /** Sends a further request, which has the results of the last reply's calls. */
  readonly sendNext: (body: string) => void;
}

function joinReplies({ loop, report, listener, isAborted, sendNext }: JoinOptions): JoinedReply {
  const output = openOutput(listener);
  /** The current reply, if it is not streamed: passed on unchanged if the loop fails. */
  let held = "";
  /** Whether the loop has failed: then further text is passed on unchanged. */
  let isBroken = false;
  /** How many characters of a stream arrived and were not passed on to the listener. */
  let keptBack = 0;

  function relayed(text: string): string {
    try {
      return loop.push(text);
    } catch (error) {
      report(WHAT, error);
      isBroken = true;
      return text;
    }
  }

  return {
    begin: output.begin,
    take: (text) => {
      if (output.isWaiting()) held += text;
      const shown = isBroken ? text : relayed(text);
      keptBack += text.length - shown.length;
      output.write(shown);
    },
    finish: async () => {
      if (isBroken) return output.end(held);
      try {
        const step = await loop.end();
        if (isAborted()) return;
        if (step.type === "done") return output.end(step.text);
        held = "";
        sendNext(step.body);
      } catch (error) {
        report(WHAT, error);
        if (isAborted()) return;
        if (output.isWaiting() || keptBack === 0) return output.end(held);
        // A failure, because some clients would take the part of the stream that they have for a complete reply.
        listener.onFailure(error instanceof Error ? error : new Error(String(error)));
      }
    },
    refuse: async (head, body) => {
      const shorter = await shortened(loop, { head, body, report });
      if (isAborted()) return;
      if (shorter !== undefined) return sendNext(shorter);
      // A client that has nothing of the reply yet gets the refusal itself. A stream that has begun ends with an error of the same body.
      if (output.isWaiting()) output.replace(head, body);
      else output.end(endOfFailed(loop, body, report));
    },
  };
}

/** Passes the merged reply on to the listener: a stream as it comes, any other reply at its end, when its length is known. */
interface MergedOutput {
  /** Called with the head of the first reply. */
  begin(head: ReplyHead): void;
  /** Whether nothing was passed on yet, because the reply is not streamed. */
  isWaiting(): boolean;
  /** Passes on a piece of a stream. */
  write(text: string): void;
  /** Ends the reply with this text. */
  end(text: string): void;
  /** Passes on another reply in place of the one that waits. */
  replace(head: ReplyHead, body: Buffer): void;
}

function openOutput(listener: ReplyListener): MergedOutput {
  let heldHead: ReplyHead | undefined;
  return {
    begin: (head) => {
      if (isEventStream(head.headers["content-type"])) listener.onHead(withoutLength(head));
      else heldHead = head;
    },
    isWaiting: () => heldHead !== undefined,
    write: (text) => {
      if (text !== "" && heldHead === undefined) listener.onData(Buffer.from(text));
    },
    end: (text) => {
      const bytes = Buffer.from(text);
      if (heldHead !== undefined) listener.onHead(withLength(heldHead, bytes.length));
      heldHead = undefined;
      if (bytes.length > 0) listener.onData(bytes);
      listener.onEnd();
    },
    replace: (head, body) => {
      heldHead = undefined;
      listener.onHead(head);
      listener.onData(body);
      listener.onEnd();
    },
  };
}

interface RefusedRequest {
  readonly head: ReplyHead;
  readonly body: Buffer;
  readonly report: ReportIncident;
}

/** Returns a shorter body for the refused request; undefined if it was refused for another reason, or cannot be shortened. */
async function shortened(loop: ReplyLoop, { head, body, report }: RefusedRequest): Promise<string | undefined> {
  try {
    return (await refusalOf(head, body)) === undefined ? undefined : loop.shorten();
  } catch (error) {
    report(WHAT, error);
    return undefined;
  }
}

/** Returns the text that ends a stream whose further request was refused with this body. */
function endOfFailed(loop: ReplyLoop, body: Buffer, report: ReportIncident): string {
  try {
    return loop.fail(body.toString()) ?? "";
  } catch (error) {
    report(WHAT, error);
    return "";
  }
}

/** Decodes the bytes of a reply and passes them on as text. */
interface ReplyText {
  push(chunk: Buffer): void;
  end(): void;
}

function readText({ headers }: ReplyHead, { take, finish }: Pick<JoinedReply, "take" | "finish">): ReplyText {
  const text = new StringDecoder("utf8");
  const coding = codingOf(headers["content-encoding"]);
  const push = (chunk: Buffer) => take(text.write(chunk));
  const end = () => {
    take(text.end());
    void finish();
  };
  if (coding === "identity" || coding === "unknown") return { push, end };
  let decoder: Transform | undefined;
  return {
    push: (chunk) => {
      decoder ??= createDecoder(coding, chunk).on("data", push).on("end", end).on("error", end);
      if (!decoder.destroyed) decoder.write(chunk);
    },
    end: () => (decoder === undefined ? end() : void decoder.end()),
  };
}
