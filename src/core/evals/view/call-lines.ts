/** What a tool was called with, as lines and as bare values. */
export interface CallLines {
  readonly lines: readonly string[];
  readonly texts: readonly string[];
}

// Deeper values are no arguments that a person would read.
const MAX_DEPTH = 8;

/**
 * Writes each value under its name: `path: a.ts` on one line, a text of several lines as it is below `content:`. An input
 * that is a text stands alone.
 */
export function callLines(input: unknown): CallLines {
  const lines: string[] = [];
  const texts: string[] = [];
  const visit = (name: string, value: unknown, depth: number): void => {
    if (typeof value === "object" && value !== null) {
      if (depth >= MAX_DEPTH) return;
      for (const [key, inner] of entriesOf(value)) visit(name === "" ? key : `${name}.${key}`, inner, depth + 1);
      return;
    }
    if (value === undefined || value === null) return;
    const text = String(value);
    if (typeof value !== "boolean") texts.push(text);
    lines.push(...namedLines(name, text));
  };
  visit("", input, 0);
  return { lines, texts };
}

function namedLines(name: string, text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (name === "") return lines;
  return lines.length === 1 ? [`${name}: ${text}`] : [`${name}:`, ...lines];
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(value);
  } catch {
    // A getter threw: what it would have given is not sent either.
    return [];
  }
}
