import type { RelayedReply, ReplyRelay } from "../../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME } from "../../../core/recall/tool-definition.ts";
import { createEventCutter, type EventCutter, type RawEvent } from "./raw-events.ts";

/** `whole`: the last reply ends the turn. `abandoned`: the last reply has calls of the recall tool that cannot be answered, and they are left out. */
export type Ending = "whole" | "abandoned";

/** How the replies of one API are relayed. `Reply` is the type of a parsed reply. */
export interface RelayDescription<Reply> {
  /** Begins to read a stream that follows these replies. */
  openStream(earlier: readonly Reply[]): StreamReading<Reply>;
  /** Parses a reply that is not streamed; undefined if it is no reply, such as an error. */
  readDocument(text: string): Reply | undefined;
  /** One document of all these replies: the last, with the content of the earlier ones before its own; undefined to pass the last on as it came. */
  writeDocument(replies: readonly Reply[], ending: Ending): string | undefined;
  relayed(reply: Reply): RelayedReply;
  /** The reply with a line of text in place of its calls of the recall tool; the reply itself if it makes none. */
  withoutCalls(reply: Reply): Reply;
  /** The items that the client gets of these replies, written as one reply. */
  visible(replies: readonly Reply[]): readonly string[];
  /** The event that reports an error in a stream, made of the body of an error response. */
  writeError(body: string): string;
}

export interface StreamReading<Reply> {
  /** What the client gets for an event. Undefined to hold back this event and all that follow until it is known whether another reply comes. */
  take(event: RawEvent): string | undefined;
  /** Parses the reply. Called at the end of the stream, with all of its events. */
  read(events: readonly RawEvent[]): Reply;
  /** What the client gets for the events that were held back; if `abandoned`, with the line of `withoutCalls` in place of the calls. */
  writeEnd(held: readonly RawEvent[], ending: Ending): string;
}

/** A reply that is being received. */
type OpenReply<Reply> =
  | {
      readonly type: "stream";
      readonly cutter: EventCutter;
      readonly reading: StreamReading<Reply>;
      readonly events: RawEvent[];
      readonly held: RawEvent[];
    }
  | { readonly type: "document"; readonly pieces: string[] };

/** The result for a reply that was not parsed: an error, or a document that does not name our tool. */
const NOT_READ: RelayedReply = { calls: [], isOver: true, isWhole: false, items: [] };
/** The first characters of a comment and of the fields of an event: data, event, id, retry. */
const EVENT_STARTS: ReadonlySet<string> = new Set(":deir");

/** Makes the relay for the replies to one request, of what the description says about the API. */
export function relayReplies<Reply>(description: RelayDescription<Reply>): ReplyRelay {
  /** The parsed replies that have ended. */
  const replies: Reply[] = [];
  /** The reply that is being received, or was last. */
  let open: OpenReply<Reply> | undefined;
  /** Whether the last reply that ended was parsed: it is then the last of `replies`. */
  let isRead = false;
  /** Whether the open reply has ended: the next piece begins another. */
  let isEnded = false;
  /** White space before the first character that tells a stream from a document. */
  let blank = "";

  function begin(text: string): OpenReply<Reply> | undefined {
    const [first] = /\S/.exec(text) ?? [];
    if (first === undefined) return undefined;
    if (!EVENT_STARTS.has(first)) return { type: "document", pieces: [] };
    const reading = description.openStream([...replies]);
    return { type: "stream", cutter: createEventCutter(), reading, events: [], held: [] };
  }

  function close(ending: Ending): string {
    if (open === undefined) return blank;
    if (open.type === "stream") return open.reading.writeEnd(open.held.splice(0), ending) + open.cutter.rest();
    const written = isRead ? description.writeDocument(replies, ending) : undefined;
    return written ?? open.pieces.join("");
  }

  return {
    push(piece) {
      if (isEnded) open = undefined;
      isEnded = false;
      isRead = false;
      const text = blank + piece;
      open ??= begin(text);
      blank = open === undefined ? text : "";
      if (open === undefined) return "";
      if (open.type === "stream") return pushEvents(open, text);
      open.pieces.push(text);
      return "";
    },
    end() {
      isEnded = true;
      const reply = open && readReply(description, open, replies.length === 0);
      isRead = reply !== undefined;
      if (reply === undefined) return NOT_READ;
      const relayed = description.relayed(reply);
      if (relayed.calls.length > 0) {
        replies.push(reply);
        return relayed;
      }
      const shown = description.withoutCalls(reply);
      replies.push(shown);
      return description.relayed(shown);
    },
    close: () => close("whole"),
    abandon: () => {
      const last = isRead ? replies.pop() : undefined;
      if (last !== undefined) replies.push(description.withoutCalls(last));
      return close("abandoned");
    },
    visible: () => description.visible(replies),
    fail: (body) => (open?.type === "stream" ? description.writeError(body) : undefined),
  };
}

/** How a call names our tool. Text of the model that contains the name has its quotes escaped, and does not match. */
const NAMED = `"${RECALL_TOOL_NAME}"`;

/** Parses the reply that has ended; undefined if it is no reply, or the first reply and a document that does not name our tool. */
function readReply<Reply>(
  description: RelayDescription<Reply>,
  open: OpenReply<Reply>,
  isFirst: boolean,
): Reply | undefined {
  if (open.type === "stream") return open.reading.read(open.events);
  const text = open.pieces.join("");
  return isFirst && !text.includes(NAMED) ? undefined : description.readDocument(text);
}

function pushEvents<Reply>(
  { cutter, reading, events, held }: Extract<OpenReply<Reply>, { type: "stream" }>,
  text: string,
): string {
  let passed = "";
  for (const event of cutter.push(text)) {
    events.push(event);
    const shown = held.length > 0 ? undefined : reading.take(event);
    if (shown === undefined) held.push(event);
    else passed += shown;
  }
  return passed;
}
