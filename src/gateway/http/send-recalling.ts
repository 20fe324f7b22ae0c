import type { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReplyLoop } from "../turn.ts";
import { codingOf, createDecoder } from "./content-coding.ts";
import type { RawHeaders } from "./headers.ts";
import type { ReportIncident } from "./incidents.ts";
import type { Upstream } from "./kept-connections.ts";
import { isEventStream } from "./refusal.ts";
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

/** What an incident of it is called. */
const WHAT = "recalling in a reply";

/**
 * Sends a request in which the recall tool is offered. The listener gets one reply, however many there were: calls of the tool are
 * answered here, with further requests. Where anything of ours fails, the reply goes on as it comes.
 */
export function sendRecalling(
  upstream: Upstream,
  request: UpstreamRequest,
  { loop, report, listener }: RecallingOptions,
): SentRequest {
  const plain = { ...request, headers: withoutCoding(request.headers) };
  let isAborted = false;
  /** The head of the first reply, until the listener has it: a reply that is not streamed has its head last. */
  let heldHead: ReplyHead | undefined;
  /** What came of a reply that is held, for where our own part fails. */
  let held = "";
  /** Whether the loop has failed: then what comes is passed on as it is. */
  let isBroken = false;
  /** How many characters more came of a stream than the listener got. */
  let keptBack = 0;
  let sent = sendUpstream(upstream, plain, firstReply());

  function send(body: string): void {
    sent = sendUpstream(upstream, { ...plain, body: Buffer.from(body) }, laterReply());
  }

  function firstReply(): ReplyListener {
    let reading: ReplyText | undefined;
    return {
      onHead(head) {
        const coding = codingOf(head.headers["content-encoding"]);
        if (head.status >= 300 || coding === "unknown") return listener.onHead(head);
        reading = readText(head, take, finish);
        if (isEventStream(head.headers["content-type"])) listener.onHead(withoutLength(head));
        else heldHead = head;
      },
      onData: (chunk) => (reading === undefined ? listener.onData(chunk) : reading.push(chunk)),
      onEnd: () => (reading === undefined ? listener.onEnd() : reading.end()),
      onFailure: listener.onFailure,
    };
  }

  function laterReply(): ReplyListener {
    let reading: ReplyText | undefined;
    const refused: Buffer[] = [];
    let head: ReplyHead | undefined;
    return {
      onHead(received) {
        head = received;
        if (received.status < 300) reading = readText(received, take, finish);
      },
      onData: (chunk) => (reading === undefined ? void refused.push(chunk) : reading.push(chunk)),
      onEnd: () => (reading === undefined && head !== undefined ? refuse(head, refused) : reading?.end()),
      onFailure: listener.onFailure,
    };
  }

  function take(text: string): void {
    if (heldHead !== undefined) held += text;
    const shown = isBroken ? text : relayed(text);
    keptBack += text.length - shown.length;
    if (shown !== "" && heldHead === undefined) listener.onData(Buffer.from(shown));
  }

  function relayed(text: string): string {
    try {
      return loop.push(text);
    } catch (error) {
      report(WHAT, error);
      isBroken = true;
      return text;
    }
  }

  /** Never rejects. */
  async function finish(): Promise<void> {
    if (isBroken) return release(held);
    try {
      const step = await loop.end();
      if (isAborted) return;
      if (step.type === "done") return release(step.text);
      held = "";
      send(step.body);
    } catch (error) {
      report(WHAT, error);
      if (isAborted) return;
      if (heldHead !== undefined || keptBack === 0) return release(held);
      // What the client has of the stream would pass for a whole reply with some clients.
      listener.onFailure(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function release(text: string): void {
    const bytes = Buffer.from(text);
    if (heldHead !== undefined) listener.onHead(withLength(heldHead, bytes.length));
    heldHead = undefined;
    if (bytes.length > 0) listener.onData(bytes);
    listener.onEnd();
  }

  function failureOf(body: string): string {
    try {
      return loop.fail(body) ?? "";
    } catch (error) {
      report(WHAT, error);
      return "";
    }
  }

  /** A client that has nothing of the reply yet gets the refusal itself; a stream ends with what it says. */
  function refuse(head: ReplyHead, body: readonly Buffer[]): void {
    const bytes = Buffer.concat(body);
    if (heldHead === undefined) {
      release(failureOf(bytes.toString()));
      return;
    }
    heldHead = undefined;
    listener.onHead(head);
    listener.onData(bytes);
    listener.onEnd();
  }

  return {
    abort: () => {
      isAborted = true;
      sent.abort();
    },
    pause: () => sent.pause(),
    resume: () => sent.resume(),
  };
}

/** Takes the bytes of a reply, and gives them on as text, decoded. */
interface ReplyText {
  push(chunk: Buffer): void;
  end(): void;
}

function readText({ headers }: ReplyHead, take: (text: string) => void, finish: () => void): ReplyText {
  const text = new StringDecoder("utf8");
  const coding = codingOf(headers["content-encoding"]);
  const push = (chunk: Buffer) => take(text.write(chunk));
  const end = () => {
    take(text.end());
    finish();
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

/** What a reply comes in is decoded here: servers that can are asked for none. */
function withoutCoding(headers: readonly string[]): string[] {
  return [...without(headers, ["accept-encoding"]), "accept-encoding", "identity"];
}

const OF_THE_BYTES = ["content-length", "content-encoding", "content-md5", "content-digest", "digest"];

function withoutLength(head: ReplyHead): ReplyHead {
  const headers = Object.fromEntries(Object.entries(head.headers).filter(([name]) => !OF_THE_BYTES.includes(name)));
  return { ...head, headers, raw: without(head.raw, OF_THE_BYTES) };
}

function withLength(head: ReplyHead, length: number): ReplyHead {
  const plain = withoutLength(head);
  const text = String(length);
  return {
    ...plain,
    headers: { ...plain.headers, "content-length": text },
    raw: [...plain.raw, "content-length", text],
  };
}

function without(headers: RawHeaders, names: readonly string[]): string[] {
  return headers.flatMap((name, at) => {
    if (at % 2 === 1 || names.includes(name.toLowerCase())) return [];
    return [name, headers[at + 1] ?? ""];
  });
}
