/** Takes a body apart into the texts of JSON in it, as they come. */
export interface ReplyTexts {
  /** The texts that this piece completes. */
  push(piece: string): readonly string[];
}

/** A reply is one object, a list of objects, or events that hold one object each. Its first character tells which. */
export function createReplyTexts(): ReplyTexts {
  let texts: ReplyTexts | undefined;
  return {
    push(piece) {
      const first = texts === undefined ? piece.trimStart()[0] : undefined;
      if (first !== undefined) texts = first === "{" || first === "[" ? createObjectTexts() : createEventTexts();
      return texts?.push(piece) ?? [];
    },
  };
}

/** The objects of a body that is one, or a list of them. */
function createObjectTexts(): ReplyTexts {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let begun = "";
  return {
    push(piece) {
      const texts: string[] = [];
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
          texts.push(begun + piece.slice(start, at + 1));
          begun = "";
          depth = 0;
        }
      }
      if (depth > 0) begun += piece.slice(start);
      return texts;
    },
  };
}

/** The data of server-sent events. */
function createEventTexts(): ReplyTexts {
  let begunLine = "";
  let data: string[] = [];
  return {
    push(piece) {
      const lines = piece.split("\n");
      lines[0] = begunLine + lines[0];
      begunLine = lines.pop() ?? "";
      const texts: string[] = [];
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice("data:".length));
        else if (line.trim() === "" && data.length > 0) {
          texts.push(data.join("\n"));
          data = [];
        }
      }
      return texts;
    },
  };
}
