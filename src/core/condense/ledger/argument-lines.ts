import { entriesOf } from "../../tool-calls/entries-of.ts";
import { cutLines, LINE_END } from "./cut-lines.ts";

/** Deeper arguments are data, and nobody names what lies in them. */
const MAX_DEPTH = 8;
/** More arguments than this are data too. */
const MAX_ARGUMENTS = 1_000;

export interface ArgumentLine {
  readonly text: string;
  /** Without the name of the argument. */
  readonly value: string;
}

/** What a tool was called with: `path: a.ts` on one line; the lines of a longer text as they are. */
export function argumentLines(input: unknown): readonly ArgumentLine[] {
  const lines: ArgumentLine[] = [];
  let left = MAX_ARGUMENTS;
  const visit = (name: string, value: unknown, depth: number): void => {
    if (typeof value === "object" && value !== null) {
      if (depth >= MAX_DEPTH) return;
      for (const [key, inner] of entriesOf(value)) {
        if (left-- > 0) visit(name === "" ? key : `${name}.${key}`, inner, depth + 1);
      }
    } else if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      const prefix = name === "" || LINE_END.test(text) ? "" : `${name}: `;
      for (const line of cutLines(prefix + text)) {
        lines.push({ text: line, value: line.startsWith(prefix) ? line.slice(prefix.length) : line });
      }
    }
  };
  visit("", input, 0);
  return lines;
}
