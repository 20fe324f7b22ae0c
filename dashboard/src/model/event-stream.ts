/** One Server-Sent Event. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads Server-Sent Events from text that comes in pieces; each character is looked at once. */
export interface EventReader {
  read(text: string): readonly StreamEvent[];
}

export function createEventReader(): EventReader {
  /** Pieces of the line that has not ended yet. */
  let pieces: string[] = [];
  let id: string | undefined;
  let data: string[] = [];

  function takeLine(line: string): StreamEvent | undefined {
    if (line === "") {
      const event = data.length === 0 ? undefined : { id, data: data.join("\n") };
      data = [];
      return event;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") data.push(value);
    if (name === "id") id = value;
    return undefined;
  }

  return {
    read: (text) => {
      const lines = text.split("\n");
      const rest = lines.pop() ?? "";
      const events = lines.flatMap((line) => {
        const whole = [...pieces, line].join("");
        pieces = [];
        return takeLine(whole.endsWith("\r") ? whole.slice(0, -1) : whole) ?? [];
      });
      if (rest !== "") pieces.push(rest);
      return events;
    },
  };
}
