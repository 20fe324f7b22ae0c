import type { ContextAttributes, ContextSyntax } from "./context-syntax.ts";

/** Whatever a reader may take for the end of a line. */
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Control characters and halves of surrogate pairs. */
const UNPRINTABLE = /(?![\t\n])[\p{Cc}\p{Cs}]/gu;
const REPLACEMENT = "\ufffd";
const INDENT = "\n  ";

/** Headings, and a line for each element: `- fact (source: "docs", confidence: 0.9): Tokens expire after an hour.` */
export const TEXT_SYNTAX: ContextSyntax = {
  element: (tag, attributes, text) => {
    const content = plainText(text);
    return `- ${tag}${plainAttributes(attributes)}${content === "" ? "" : `: ${content}`}\n`;
  },
  open: (tag, depth) => `${"#".repeat(depth)} ${tag}\n`,
  close: () => "",
};

/** Later lines are indented: no text can pass for a heading or another element. */
function plainText(text: string): string {
  return text.trimEnd().replace(LINE_BREAK, "\n").replace(UNPRINTABLE, REPLACEMENT).replaceAll("\n", INDENT);
}

function plainAttributes(attributes: ContextAttributes): string {
  const written = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${typeof value === "number" ? value : quoted(value)}`],
  );
  return written.length === 0 ? "" : ` (${written.join(", ")})`;
}

/** In quotes, and on one line: no value can pass for the end of the attributes. */
function quoted(value: string): string {
  return JSON.stringify(value.replace(LINE_BREAK, "\n").replace(UNPRINTABLE, REPLACEMENT));
}
