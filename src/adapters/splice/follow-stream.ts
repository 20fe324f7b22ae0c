import { asName, asNumber, asRecord, asText } from "../../core/json/read-json.ts";
import type { ModelFailure } from "../../core/policy/failure-texts.ts";
import type { ReplyFollower, ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { createEventStream, type EventStream, type ServerEvent } from "./event-stream.ts";

/** What an event tells: that the reply began, a part of it, or that the server gave up. */
export type EventMeaning =
  | { readonly type: "opening" }
  | { readonly type: "speaking" }
  | { readonly type: "failed"; readonly failure: ModelFailure };

export const OPENING: EventMeaning = { type: "opening" };
export const SPEAKING: EventMeaning = { type: "speaking" };

/** How one API's replies are read. */
export interface StreamReading {
  /** Called once for each event, in order. `isOpening` while nothing was said before it. */
  readEvent(event: ServerEvent, isOpening: boolean): EventMeaning;
  /** What was reported so far, with what may still be in an unread text. */
  readUsage(unread: UnreadReply): ReportedUsage | undefined;
  /** What the reply says about itself, with what may still be in an unread text. @default nothing is read of it */
  readNotes?(unread: UnreadReply): ReplyNotes;
  /** For an API that also streams lists of JSON. @default none: a list is a document */
  readonly splitList?: () => EventStream;
}

/** The whole reply so far where it is one document; of a stream, the event that has no end yet. */
export type UnreadReply =
  | { readonly type: "document"; readonly text: string }
  | { readonly type: "event"; readonly event: ServerEvent | undefined };

/** Follows a reply that is one document or a stream of events. */
export function followStream({ readEvent, readUsage, readNotes, splitList }: StreamReading): ReplyFollower {
  let body: ReplyBody | undefined;
  let stage: ReturnType<ReplyFollower["stage"]> = "opening";
  let failure: ModelFailure | undefined;

  function take(event: ServerEvent): void {
    const meaning = readEvent(event, stage === "opening");
    switch (meaning.type) {
      case "opening":
        break;
      case "speaking":
        if (stage === "opening") stage = "speaking";
        break;
      case "failed":
        failure ??= meaning.failure;
        stage = "failed";
    }
  }

  return {
    push(text) {
      body ??= beginBody(text, splitList);
      if (body?.type === "stream") for (const event of body.stream.push(text)) take(event);
      if (body?.type !== "document") return;
      body.pieces.push(text);
      stage = "speaking";
    },
    stage: () => stage,
    failure: () => failure,
    usage: () => (body === undefined ? undefined : readUsage(unreadOf(body))),
    notes: () => (body === undefined ? undefined : readNotes?.(unreadOf(body))) ?? { compactions: [] },
  };
}

function unreadOf(body: ReplyBody): UnreadReply {
  if (body.type === "document") return { type: "document", text: body.pieces.join("") };
  return { type: "event", event: body.stream.rest() };
}

type ReplyBody =
  | { readonly type: "document"; readonly pieces: string[] }
  | { readonly type: "stream"; readonly stream: EventStream };

/** A comment, or one of the fields of an event, begins with one of these. */
const EVENT_STARTS: ReadonlySet<string> = new Set(":deir");

/** The first character tells; undefined before there is one. */
function beginBody(text: string, splitList: StreamReading["splitList"]): ReplyBody | undefined {
  const [first] = /\S/.exec(text) ?? [];
  if (first === undefined) return undefined;
  if (EVENT_STARTS.has(first)) return { type: "stream", stream: createEventStream() };
  if (first === "[" && splitList !== undefined) return { type: "stream", stream: splitList() };
  return { type: "document", pieces: [] };
}

/** What a server said when it gave up in the middle of a stream. */
export function failed(error: unknown): EventMeaning {
  const fields = asRecord(error);
  const message = asText(fields?.message) ?? asText(error) ?? serialize(error);
  const code = asName(fields?.code) ?? asName(fields?.status) ?? asName(fields?.type);
  const status = asNumber(fields?.code) ?? asNumber(fields?.status);
  return {
    type: "failed",
    failure: { ...(status !== undefined && { status }), message, ...(code !== undefined && { code }), body: error },
  };
}
