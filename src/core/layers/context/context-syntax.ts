import type { CountTokens } from "../../message/message.ts";

/** Attributes by name; those that are undefined are left out. */
export type ContextAttributes = Readonly<Record<string, string | number | undefined>>;

/**
 * Writes the parts of a context. Each fragment begins with a sign and ends with a line break, so that the token counts of fragments add up
 * to that of the whole.
 */
export interface ContextSyntax {
  element(tag: string, attributes: ContextAttributes, text: string): string;
  /** Before the elements of a group; the outermost one has depth 1. */
  open(tag: string, depth: number): string;
  /** After them. */
  close(tag: string): string;
}

/** The syntax of a context, and the counter for its tokens. */
export interface Rendering {
  readonly syntax: ContextSyntax;
  readonly countTokens: CountTokens;
}

// Characters that XML forbids (most control characters, halves of surrogate pairs, two non-characters) or that must be escaped.
const SPECIAL_IN_TEXT = /(?![\t\n])[\p{Cc}\p{Cs}\ufffe\uffff&<]|\]\]>/gu;
const SPECIAL_IN_ATTRIBUTE = /[\p{Cc}\p{Cs}\ufffe\uffff&<>"]/gu;
const REPLACEMENT = "\ufffd";
/** XML allows the control characters from here on. */
const DELETE = "\u007f";
const LAST_CONTROL = "\u009f";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "]]>": "]]&gt;",
  // Unescaped, a parser would normalize these to blanks.
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

function spell(special: string): string {
  const escaped = ESCAPES[special];
  if (escaped !== undefined) return escaped;
  return special >= DELETE && special <= LAST_CONTROL ? special : REPLACEMENT;
}

/** Escapes a text as the content of an element; characters that XML forbids become U+FFFD. */
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

/** XML, well-formed whatever the texts contain. */
export const XML_SYNTAX: ContextSyntax = {
  element: xmlElement,
  open: (tag) => `${openTag(tag)}\n`,
  close: closeTag,
};

/** All characters that may be read as the end of a line. */
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

/** Indents all lines but the first, so that no text looks like a heading or another element. */
function plainText(text: string): string {
  return text.trimEnd().replace(LINE_BREAK, "\n").replace(UNPRINTABLE, REPLACEMENT).replaceAll("\n", INDENT);
}

function plainAttributes(attributes: ContextAttributes): string {
  const written = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${typeof value === "number" ? value : quoted(value)}`],
  );
  return written.length === 0 ? "" : ` (${written.join(", ")})`;
}

/** Quotes a value on one line, so that none looks like the end of the attributes. */
function quoted(value: string): string {
  return JSON.stringify(value.replace(LINE_BREAK, "\n").replace(UNPRINTABLE, REPLACEMENT));
}
