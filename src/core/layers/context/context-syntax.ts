import type { CountTokens } from "../../message/message.ts";

/** Names and values; those without a value are left out. */
export type ContextAttributes = Readonly<Record<string, string | number | undefined>>;

/**
 * How the parts of a context are written. Each fragment starts with a mark and ends in a line break: so counts of fragments add up
 * to that of the whole.
 */
export interface ContextSyntax {
  element(tag: string, attributes: ContextAttributes, text: string): string;
  /** Before the elements of a group; the outermost one has depth 1. */
  open(tag: string, depth: number): string;
  /** After them. */
  close(tag: string): string;
}

/** How a context is written and measured. */
export interface Rendering {
  readonly syntax: ContextSyntax;
  readonly countTokens: CountTokens;
}

// What XML has no way to say: most control characters, halves of surrogate pairs, and two that are no characters at all.
const SPECIAL_IN_TEXT = /(?![\t\n])[\p{Cc}\p{Cs}\ufffe\uffff&<]|\]\]>/gu;
const SPECIAL_IN_ATTRIBUTE = /[\p{Cc}\p{Cs}\ufffe\uffff&<>"]/gu;
const REPLACEMENT = "\ufffd";
/** From here on control characters are allowed. */
const DELETE = "\u007f";
const LAST_CONTROL = "\u009f";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "]]>": "]]&gt;",
  // A reader would take them for blanks, or drop the return, were they not spelled out.
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

function spell(special: string): string {
  const known = ESCAPES[special];
  if (known !== undefined) return known;
  return special >= DELETE && special <= LAST_CONTROL ? special : REPLACEMENT;
}

/** The text as the content of an element; what XML forbids becomes U+FFFD. */
export function xmlText(text: string): string {
  return text.replace(SPECIAL_IN_TEXT, spell);
}

/** An element on a line of its own, with its line break. */
export function xmlElement(tag: string, attributes: ContextAttributes, text: string): string {
  return text === ""
    ? `<${tag}${xmlAttributes(attributes)}/>\n`
    : `${openTag(tag, attributes)}${xmlText(text)}${closeTag(tag)}`;
}

function openTag(tag: string, attributes: ContextAttributes = {}): string {
  return `<${tag}${xmlAttributes(attributes)}>`;
}

function closeTag(tag: string): string {
  return `</${tag}>\n`;
}

function xmlAttributes(attributes: ContextAttributes): string {
  let written = "";
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) written += ` ${name}="${String(value).replace(SPECIAL_IN_ATTRIBUTE, spell)}"`;
  }
  return written;
}

/** Well-formed XML, whatever the texts hold. */
export const XML_SYNTAX: ContextSyntax = {
  element: xmlElement,
  open: (tag) => `${openTag(tag)}\n`,
  close: closeTag,
};

/** Whatever a reader may take for the end of a line. */
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Control characters and halves of surrogate pairs. */
const UNPRINTABLE = /(?![\t\n])[\p{Cc}\p{Cs}]/gu;
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
