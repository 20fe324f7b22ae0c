/** One server-sent event. */
export interface ServerEvent {
  /** Empty where it has none. */
  readonly name: string;
  readonly data: string;
}

/** Takes a stream apart as it comes, in pieces of any size. */
export interface EventStream {
  /** The events that this piece completes. */
  push(piece: string): readonly ServerEvent[];
  /** What has begun and has no end yet: some streams are cut, and some end without their last line. */
  rest(): ServerEvent | undefined;
}

/** Reads server-sent events: lines that end in any way, data of several lines; comments are passed over. Linear in any pieces. */
export function createEventStream(): EventStream {
  // In pieces: joined at each push, a long line that comes in many of them would cost its square.
  let line: string[] = [];
  let isAfterReturn = false;
  let event = begin();

  function endLine(end: string): ServerEvent | undefined {
    line.push(end);
    const text = line.join("");
    line = [];
    if (text !== "") {
      takeLine(event, text);
      return undefined;
    }
    const { name, data } = event;
    event = begin();
    return data.length === 0 ? undefined : { name, data: data.join("\n") };
  }

  return {
    push(piece) {
      if (piece === "") return [];
      // both together are one end of a line, also where a piece ends between them
      const text = isAfterReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
      isAfterReturn = piece.endsWith("\r");
      const lines = text.split(text.includes("\r") ? /\r\n|\r|\n/ : "\n");
      const last = lines.pop() ?? "";
      const events = lines.flatMap((end) => endLine(end) ?? []);
      if (last !== "") line.push(last);
      return events;
    },
    rest() {
      const cut: OpenEvent = { ...event, data: [...event.data] };
      takeLine(cut, line.join(""));
      return cut.data.length === 0 ? undefined : { name: cut.name, data: cut.data.join("\n") };
    },
  };
}

interface OpenEvent {
  name: string;
  readonly data: string[];
}

function begin(): OpenEvent {
  return { name: "", data: [] };
}

const LINE = /^\uFEFF?(data|event)(?:: ?|$)/;

function takeLine(event: OpenEvent, line: string): void {
  const [start, field] = LINE.exec(line) ?? [];
  if (start === undefined) return;
  const value = line.slice(start.length);
  if (field === "data") event.data.push(value);
  else event.name = value;
}
