/** A server-sent event, and the text that it came in. */
export interface RawEvent {
  readonly raw: string;
  /** Empty where it has none. */
  readonly name: string;
  readonly data: string;
}

/** Cuts a stream into events as it comes. Joined, the texts of all events and the rest are the stream. */
export interface EventCutter {
  push(piece: string): readonly RawEvent[];
  /** What has begun and has no end yet. */
  rest(): string;
}

/** An empty line ends an event, however lines end. */
const END = /\r\n\r\n|\n\n|\r\r|\n\r\n/g;
/** As long as the longest end, less one: an end may be cut by the pieces. */
const OVERLAP = 3;

export function createEventCutter(): EventCutter {
  // In pieces: joined at each push, a long event that comes in many of them would cost its square.
  let waiting: string[] = [];
  let tail = "";
  return {
    push(piece) {
      waiting.push(piece);
      const seen = tail + piece;
      tail = seen.slice(-OVERLAP);
      // A carriage return may be half of an end.
      END.lastIndex = 0;
      if (!END.test(seen)) return [];
      const text = waiting.join("");
      const { events, rest } = cutEvents(text);
      waiting = rest === "" ? [] : [rest];
      tail = rest.slice(-OVERLAP);
      return events;
    },
    rest: () => waiting.join(""),
  };
}

function cutEvents(text: string): { readonly events: readonly RawEvent[]; readonly rest: string } {
  const events: RawEvent[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(END)) {
    const stop = index + end.length;
    events.push(readEvent(text.slice(start, stop)));
    start = stop;
  }
  return { events, rest: text.slice(start) };
}

/** Most events are passed on as they came: what they say is read where somebody asks. */
function readEvent(raw: string): RawEvent {
  return {
    raw,
    get name() {
      const line = linesOf(raw).findLast((each) => each.startsWith("event:"));
      return line?.slice("event:".length).trim() ?? "";
    },
    get data() {
      const lines = linesOf(raw).filter((each) => each.startsWith("data:"));
      return lines.map((each) => each.slice(each.startsWith("data: ") ? 6 : 5)).join("\n");
    },
  };
}

function linesOf(raw: string): readonly string[] {
  return raw.split(/\r\n|\r|\n/);
}

/** An event of ours. */
export function writeEvent(name: string, value: unknown): string {
  return `${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
}
