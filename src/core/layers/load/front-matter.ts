import { type Line, linesOf, type MemoryFile, unreadable } from "./memory-file.ts";

/**
 * The fields between `---` lines at the start of a file. Supports the part of YAML that people use there: texts, quoted texts, texts of
 * several lines, lists of texts, and texts by name. A field is only parsed when it is asked for, so that other fields may have any value.
 */
export interface FrontMatter {
  text(key: string): string | undefined;
  list(key: string): readonly string[] | undefined;
  /** Texts by name, from lines `name: text` below the key. */
  texts(key: string): ReadonlyMap<string, string> | undefined;
  /** The kind of a field's value: `texts` for lines `name: text` below the key, `list` for lines `- text`. */
  kind(key: string): "text" | "list" | "texts" | undefined;
  /** The lines after the front matter. */
  readonly body: readonly Line[];
}

interface Field {
  readonly line: Line;
  /** The text behind the colon. */
  readonly inline: string;
  /** The lines below that belong to the field. */
  readonly below: readonly Line[];
}

const MARK = /^---[ \t]*$/;
const KEY = /^([\w.-]+|"[^"]*"|'[^']*')[ \t]*:(?=[ \t]|$)/;
const ITEM = /^[ \t]*-(?=[ \t]|$)/;
const BLOCK = /^[|>][+-]?(?:[ \t]+#.*)?$/;

/** Throws "invalid-configuration", naming file and line, where the front matter does not end or a line of it is no field. */
export function readFrontMatter({ path, text }: MemoryFile): FrontMatter {
  const lines = linesOf(text);
  const hasMatter = MARK.test(lines[0]?.text ?? "");
  const end = hasMatter ? lines.findIndex((line, index) => index > 0 && MARK.test(line.text)) : -1;
  if (hasMatter && end === -1) throw unreadable(path, 1, "the front matter does not end. Close it with a line ---.");
  const fields = readFields(lines.slice(1, Math.max(1, end)), path);
  const rest = lines.slice(end + 1).map((line) => line.text);
  // Split again, because the front matter may have a line that looks like the start of a code fence.
  const body = hasMatter ? linesOf(rest.join("\n"), end + 2) : lines;
  const read = <Value>(key: string, reader: (field: Field, path: string) => Value) => {
    const field = fields.get(key);
    return field === undefined ? undefined : reader(field, path);
  };
  return {
    text: (key) => read(key, textOf),
    list: (key) => read(key, listOf),
    texts: (key) => read(key, textsOf),
    kind: (key) => read(key, kindOf),
    body,
  };
}

function readFields(lines: readonly Line[], path: string): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field & { readonly below: Line[] }>();
  let current: { readonly below: Line[] } | undefined;
  for (const line of lines) {
    const { text, number } = line;
    const isTop = /^[^\s#-]/.test(text);
    if (!isTop) {
      if (current === undefined && text.trim() !== "" && !text.trimStart().startsWith("#"))
        throw unreadable(
          path,
          number,
          `${JSON.stringify(text.trim())} belongs to no field. Write fields as name: value.`,
        );
      current?.below.push(line);
      continue;
    }
    const { name, value } = readField(text, line, path);
    if (fields.has(name)) throw unreadable(path, number, `the field ${name} is there twice. Remove one of them.`);
    const field = { line, inline: value, below: [] };
    fields.set(name, field);
    current = field;
  }
  return fields;
}

/** A line `name: value`. */
function readField(text: string, { number }: Line, path: string): { readonly name: string; readonly value: string } {
  const [whole = "", key] = KEY.exec(text) ?? [];
  if (key === undefined)
    throw unreadable(path, number, `${JSON.stringify(text)} is no field. Write it as name: value.`);
  return { name: key.replace(/^["']|["']$/g, ""), value: text.slice(whole.length).trim() };
}

function kindOf({ inline, below }: Field): "text" | "list" | "texts" {
  if (inline.startsWith("[")) return "list";
  if (withoutComment(inline) !== "") return "text";
  const first = contentOf(below)[0]?.text;
  if (first === undefined) return "text";
  return ITEM.test(first) ? "list" : "texts";
}

function textOf({ line, inline, below }: Field, path: string): string {
  if (BLOCK.test(inline)) return blockText(below, inline.startsWith(">"));
  if (/^[[{&*!]/.test(inline))
    throw unreadable(
      path,
      line.number,
      `${JSON.stringify(inline)} is no text. Put it in quotes if it is meant as one.`,
    );
  const continued = [inline, ...contentOf(below).map(({ text }) => text.trim())]
    .filter((part) => part !== "")
    .join(" ");
  return scalar(continued, line, path);
}

function listOf(field: Field, path: string): readonly string[] {
  const { line, inline, below } = field;
  if (inline.startsWith("[")) {
    const whole = withoutComment([inline, ...below.map(({ text }) => text.trim())].join(" "));
    if (!whole.endsWith("]")) throw unreadable(path, line.number, "the list does not end. Close it with ].");
    return splitList(whole.slice(1, -1)).map((item) => scalar(item, line, path));
  }
  if (withoutComment(inline) !== "") return [textOf(field, path)];
  return contentOf(below).map((each) => {
    const item = ITEM.exec(each.text);
    if (item === null)
      throw unreadable(path, each.number, `${JSON.stringify(each.text.trim())} is no item. Write it as - text.`);
    return scalar(each.text.slice(item[0].length), each, path);
  });
}

function textsOf({ line, inline, below }: Field, path: string): ReadonlyMap<string, string> {
  if (withoutComment(inline) !== "")
    throw unreadable(path, line.number, "names and texts were expected below it, each as name: text.");
  return new Map(
    contentOf(below).map((each) => {
      const { name, value } = readField(each.text.trim(), each, path);
      return [name, scalar(value, each, path)];
    }),
  );
}

/** The lines without blank ones and comments. */
function contentOf(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ text }) => text.trim() !== "" && !text.trimStart().startsWith("#"));
}

function scalar(text: string, { number }: Line, path: string): string {
  const value = text.trim();
  const quote = value[0];
  if (quote !== '"' && quote !== "'") return withoutComment(value);
  const quoted = quote === '"' ? /^"((?:[^"\\]|\\.)*)"/.exec(value) : /^'((?:[^']|'')*)'/.exec(value);
  const inner = quoted?.[1];
  if (inner === undefined) throw unreadable(path, number, `the quote of ${JSON.stringify(value)} is not closed.`);
  return quote === "'"
    ? inner.replaceAll("''", "'")
    : inner.replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function withoutComment(text: string): string {
  const start = text.search(/(?:^|[ \t])#/);
  return (start === -1 ? text : text.slice(0, start)).trim();
}

/** Splits a list at commas outside of quotes. */
function splitList(text: string): readonly string[] {
  const items = [""];
  let quote = "";
  for (const character of text) {
    const item = items.at(-1) ?? "";
    if (quote === "" && character === ",") {
      items.push("");
      continue;
    }
    if (quote === "" && item.trim() === "" && (character === '"' || character === "'")) quote = character;
    else if (character === quote && !item.endsWith("\\")) quote = "";
    items[items.length - 1] = item + character;
  }
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

/** A text of several lines; folded (`>`), the lines of each paragraph are joined. */
function blockText(lines: readonly Line[], isFolded: boolean): string {
  const indent = Math.min(...contentOf(lines).map(({ text }) => text.length - text.trimStart().length));
  const text = lines
    .map((line) => line.text.slice(Math.min(indent, line.text.length)).trimEnd())
    .join("\n")
    .trim();
  return isFolded ? text.replace(/([^\n])\n(?=[^\n])/g, "$1 ") : text;
}
