/** One server-sent event. */
export interface ServerEvent {
  /** Empty if the event has no name. */
  readonly name: string;
  readonly data: string;
}

/** Takes a stream apart as it comes, in pieces of any size. */
export interface EventStream {
  /** The events that this piece completes. */
  push(piece: string): readonly ServerEvent[];
  /** The event that has begun but not ended; undefined if it has no data. Some streams are cut off, some end without the last empty line. */
  rest(): ServerEvent | undefined;
}

/** Parses server-sent events: any line ending, data of several lines, comments ignored. Takes linear time, however the stream is cut into pieces. */
export function createEventStream(): EventStream {
  // Kept in pieces: joining them at each push would take quadratic time for a long line that comes in many.
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
      // "\r\n" is one line ending, also if one piece ends with "\r" and the next begins with "\n".
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
