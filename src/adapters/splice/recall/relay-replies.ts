import type { RelayedReply, ReplyRelay } from "../../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME } from "../../../core/recall/tool-definition.ts";
import { createEventCutter, type EventCutter, type RawEvent } from "./raw-events.ts";

/** Whether the last reply is the end, or calls in it are left out because no other reply can follow. */
export type Ending = "whole" | "abandoned";

/** How one API's replies are relayed. A `Reply` is what was read of one. */
export interface RelayDescription<Reply> {
  /** Begins to read a stream that follows these replies. */
  openStream(earlier: readonly Reply[]): StreamReading<Reply>;
  /** Reads a reply that is not streamed; undefined where it is none, such as an error. */
  readDocument(text: string): Reply | undefined;
  /** The last of these replies with what the earlier ones said before it; undefined where it is to be as it came. */
  writeDocument(replies: readonly Reply[], ending: Ending): string | undefined;
  relayed(reply: Reply): RelayedReply;
  /** The reply with a line of text in place of its calls of the recall tool; the same where it has none. */
  withoutCalls(reply: Reply): Reply;
  /** The items of what the client gets of these replies, as one. */
  visible(replies: readonly Reply[]): readonly string[];
  /** Says in a stream what the body of an error says. */
  writeError(body: string): string;
}

export interface StreamReading<Reply> {
  /** What the client gets for an event; undefined where this one and all that follow are kept back until it is known whether they are the end. */
  take(event: RawEvent): string | undefined;
  /** Called at the end of the stream, with all of its events. */
  read(events: readonly RawEvent[]): Reply;
  /** What the client gets for the events that were kept back; with the line of `withoutCalls`, where calls are left out. */
  writeEnd(held: readonly RawEvent[], ending: Ending): string;
}

/** A reply that comes. */
type OpenReply<Reply> =
  | {
      readonly type: "stream";
      readonly cutter: EventCutter;
      readonly reading: StreamReading<Reply>;
      readonly events: RawEvent[];
      readonly held: RawEvent[];
    }
  | { readonly type: "document"; readonly pieces: string[] };

const NOT_READ: RelayedReply = { calls: [], isOver: true, isWhole: false, items: [] };
/** A comment, or one of the fields of an event, begins with one of these. */
const EVENT_STARTS: ReadonlySet<string> = new Set(":deir");

export function relayReplies<Reply>(description: RelayDescription<Reply>): ReplyRelay {
  /** Those that ended. */
  const replies: Reply[] = [];
  let open: OpenReply<Reply> | undefined;
  let isRead = false;
  let isEnded = false;
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

/** In a text that the model says, the quotes are escaped. */
const NAMED = `"${RECALL_TOOL_NAME}"`;

/** Undefined where there is nothing of ours in it, or it is no reply. */
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
