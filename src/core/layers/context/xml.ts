import type { ContextAttributes, ContextSyntax } from "./context-syntax.ts";

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
