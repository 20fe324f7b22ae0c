import type { EventStream, ServerEvent } from "../splice/event-stream.ts";

/** The objects of a list, as they come: without `alt=sse`, Gemini streams one list of JSON. */
export function createObjectStream(): EventStream {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let begun = "";
  return {
    push(piece) {
      const objects: ServerEvent[] = [];
      let start = 0;
      for (let at = 0; at < piece.length; at++) {
        const character = piece[at];
        if (isEscaped) isEscaped = false;
        else if (isInString) {
          if (character === "\\") isEscaped = true;
          else if (character === '"') isInString = false;
        } else if (character === '"') isInString = true;
        else if (character === "{") {
          if (depth === 0) start = at;
          depth++;
        } else if (character === "}") {
          depth--;
          if (depth > 0) continue;
          objects.push({ name: "", data: begun + piece.slice(start, at + 1) });
          begun = "";
          depth = 0;
        }
      }
      if (depth > 0) begun += piece.slice(start);
      return objects;
    },
    rest: () => undefined,
  };
}
