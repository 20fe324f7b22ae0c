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

/** An empty line ends an event, however lines end. Most servers end them alike, which is found faster. */
const USUAL_END = "\n\n";
const END = /\r\n\r\n|\n\n|\r\r|\n\r\n/g;
/** The length of the longest end, less one: an end may be cut by the pieces. */
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
      if (!hasEnd(seen)) return [];
      const text = waiting.join("");
      const { events, rest } = cutEvents(text);
      waiting = rest === "" ? [] : [rest];
      tail = rest.slice(-OVERLAP);
      return events;
    },
    rest: () => waiting.join(""),
  };
}

function hasEnd(text: string): boolean {
  return text.includes(USUAL_END) || (text.includes("\r") && text.search(END) >= 0);
}

function cutEvents(text: string): { readonly events: readonly RawEvent[]; readonly rest: string } {
  const events: RawEvent[] = [];
  let start = 0;
  for (const stop of text.includes("\r") ? anyEnds(text) : usualEnds(text)) {
    events.push(readEvent(text.slice(start, stop)));
    start = stop;
  }
  return { events, rest: text.slice(start) };
}

function* usualEnds(text: string): Generator<number> {
  for (let at = text.indexOf(USUAL_END); at !== -1; at = text.indexOf(USUAL_END, at + USUAL_END.length)) {
    yield at + USUAL_END.length;
  }
}

function* anyEnds(text: string): Generator<number> {
  for (const { index, 0: end } of text.matchAll(END)) yield index + end.length;
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
