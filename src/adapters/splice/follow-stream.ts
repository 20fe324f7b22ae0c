import { asName, asNumber, asRecord, asText } from "../../core/json/read-json.ts";
import type { ModelFailure } from "../../core/policy/failure-texts.ts";
import type { ReplyFollower, ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { createEventStream, type EventStream, type ServerEvent } from "./event-stream.ts";

/** What an event of a streamed reply means: the reply has begun, it has content, or the server reports an error. */
export type EventMeaning =
  | { readonly type: "opening" }
  | { readonly type: "speaking" }
  | { readonly type: "failed"; readonly failure: ModelFailure };

export const OPENING: EventMeaning = { type: "opening" };
export const SPEAKING: EventMeaning = { type: "speaking" };

/** How the replies of one API are read. */
export interface StreamReading {
  /** Called once for each event, in order. `isOpening` says that no content came before it. */
  readEvent(event: ServerEvent, isOpening: boolean): EventMeaning;
  /** The usage reported so far, in the events that were read and in `unread`; undefined if none was. */
  readUsage(unread: UnreadReply): ReportedUsage | undefined;
  /** What the reply says about itself, in the events that were read and in `unread`. @default no notes are read */
  readNotes?(unread: UnreadReply): ReplyNotes;
  /** Splits a stream that is a JSON list into events, for an API that has such streams. @default a list is a document */
  readonly splitList?: () => EventStream;
}

/** What `readEvent` has not been given: a reply that is one document, as far as it came; of a stream, the event that has no end yet. */
export type UnreadReply =
  | { readonly type: "document"; readonly text: string }
  | { readonly type: "event"; readonly event: ServerEvent | undefined };

/** Follows a reply that is one document or a stream of events. */
export function followStream({ readEvent, readUsage, readNotes, splitList }: StreamReading): ReplyFollower {
  let body: ReplyBody | undefined;
  let stage: ReturnType<ReplyFollower["stage"]> = "opening";
  let failure: ModelFailure | undefined;
  // Cached until the next push: reading them parses a whole document, and several callers ask.
  let usage: Cached<ReportedUsage | undefined> | undefined;
  let notes: Cached<ReplyNotes> | undefined;

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
      usage = undefined;
      notes = undefined;
      body ??= beginBody(text, splitList);
      if (body?.type === "stream") for (const event of body.stream.push(text)) take(event);
      if (body?.type !== "document") return;
      body.pieces.push(text);
      stage = "speaking";
    },
    stage: () => stage,
    failure: () => failure,
    usage: () => {
      usage ??= { value: body && readUsage(unreadOf(body)) };
      return usage.value;
    },
    notes: () => {
      notes ??= { value: (body && readNotes?.(unreadOf(body))) ?? { compactions: [] } };
      return notes.value;
    },
  };
}

/** A cached value, which may be undefined itself. */
interface Cached<Value> {
  readonly value: Value;
}

function unreadOf(body: ReplyBody): UnreadReply {
  if (body.type === "document") return { type: "document", text: body.pieces.join("") };
  return { type: "event", event: body.stream.rest() };
}

type ReplyBody =
  | { readonly type: "document"; readonly pieces: string[] }
  | { readonly type: "stream"; readonly stream: EventStream };

/** The first characters of a comment and of the fields of an event: data, event, id, retry. */
const EVENT_STARTS: ReadonlySet<string> = new Set(":deir");

/** Tells a stream from a document by the first character that is no whitespace; undefined before it has come. */
function beginBody(text: string, splitList: StreamReading["splitList"]): ReplyBody | undefined {
  const [first] = /\S/.exec(text) ?? [];
  if (first === undefined) return undefined;
  if (EVENT_STARTS.has(first)) return { type: "stream", stream: createEventStream() };
  if (first === "[" && splitList !== undefined) return { type: "stream", stream: splitList() };
  return { type: "document", pieces: [] };
}

/** The failure that an error in the middle of a stream reports. */
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
