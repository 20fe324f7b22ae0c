/** A server-sent event, and the exact text that it came in. */
export interface RawEvent {
  readonly raw: string;
  /** Empty if the event has no name. */
  readonly name: string;
  readonly data: string;
}

/** Cuts a stream into events as it comes. The raw texts of all events and `rest()`, joined, are the stream. */
export interface EventCutter {
  /** Returns the events that this piece completes. */
  push(piece: string): readonly RawEvent[];
  /** The text of the event that has begun but not ended. */
  rest(): string;
}

/** An empty line ends an event, with any line ending. Most servers send "\n", and a fixed string is found faster. */
const USUAL_END = "\n\n";
const END = /\r\n\r\n|\n\n|\r\r|\n\r\n/g;
/** The length of the longest end minus one: two pieces may share an end. */
const OVERLAP = 3;

export function createEventCutter(): EventCutter {
  // Kept in pieces: joining them at each push would take quadratic time for a long event that comes in many.
  let waiting: string[] = [];
  let tail = "";
  return {
    push(piece) {
      waiting.push(piece);
      const newText = tail + piece;
      tail = newText.slice(-OVERLAP);
      if (!hasEnd(newText)) return [];
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

/** Most events are passed on as they came: name and data are parsed only when they are asked for. */
function readEvent(raw: string): RawEvent {
  return {
    raw,
    get name() {
      const line = linesOf(raw).findLast((text) => text.startsWith("event:"));
      return line?.slice("event:".length).trim() ?? "";
    },
    get data() {
      const lines = linesOf(raw).filter((line) => line.startsWith("data:"));
      return lines.map((line) => line.slice(line.startsWith("data: ") ? 6 : 5)).join("\n");
    },
  };
}

function linesOf(raw: string): readonly string[] {
  return raw.split(/\r\n|\r|\n/);
}

/** The text of an event that we write ourselves. */
export function writeEvent(name: string, value: unknown): string {
  return `${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
}
