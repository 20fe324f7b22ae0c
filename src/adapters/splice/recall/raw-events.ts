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

function readEvent(raw: string): RawEvent {
  let name = "";
  const data: string[] = [];
  for (const line of raw.split(/\r\n|\r|\n/)) {
    if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
    else if (line.startsWith("event:")) name = line.slice(6).trim();
  }
  return { raw, name, data: data.join("\n") };
}

/** An event of ours. */
export function writeEvent(name: string, value: unknown): string {
  return `${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
}
