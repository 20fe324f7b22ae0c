import { isRecord } from "../json/read-json.ts";
import type { ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import type { VisibleResult } from "./tool-results.ts";

/** A tool result with the keys by which results that repeat or replace it are found. */
export interface KeyedResult extends VisibleResult {
  readonly text: string | undefined;
  /** Equal for equal texts; an error and a success never share one. */
  readonly textKey: string | undefined;
  /** Equal for results of the same reading call; undefined where a newer result would not replace an older one. */
  readonly callKey: string | undefined;
}

/** Agents answer a repeated read with a note that nothing changed: so short a result is not taken for a new version. */
const MIN_VERSION_CHARACTERS = 200;

export function keyResult(result: VisibleResult, isReading: (toolName: string) => boolean): KeyedResult {
  const { block, call } = result;
  const text = resultText(block);
  const isError = block.is_error === true;
  const isVersion = call !== undefined && !isError && (text?.length ?? 0) >= MIN_VERSION_CHARACTERS;
  return {
    ...result,
    text,
    textKey: text === undefined ? undefined : `${isError ? "error" : "success"} ${digest(text)}`,
    callKey: isVersion && isReading(call.name) ? digestCall(call) : undefined,
  };
}

/** Names of tools that only read, as agents have them, without case and separators. */
const READING_TOOLS: ReadonlySet<string> = new Set([
  ...["read", "readfile", "readfiles", "readmanyfiles", "readtextfile", "readmultiplefiles", "readresource"],
  ...["view", "viewfile", "viewimage", "cat", "open", "openfile", "getfile", "getfilecontents", "notebookread"],
  ...["ls", "list", "listdir", "listdirectory", "listfiles", "directorytree", "tree", "glob", "findfiles", "findfile"],
  ...["grep", "greptool", "grepsearch", "ripgrep", "search", "searchfiles", "searchfilecontent", "searchcode"],
  ...["filesearch", "codesearch", "codebasesearch", "listcodedefinitionnames", "fetch", "webfetch", "todoread"],
]);

/** Whether a tool of this name only reads, going by the names that agents commonly use. */
export function isReadingTool(name: string): boolean {
  // Tools of MCP servers carry the server's name in front: mcp__files__read_file.
  return READING_TOOLS.has(normalize(name.split("__").at(-1) ?? name));
}

/** Equal for calls of one tool with equal input, whatever the order of its keys; undefined for input without JSON. */
function digestCall({ name, input }: ToolUseBlock): string | undefined {
  const json = toJson(input, (_, value) => (isRecord(value) ? sortKeys(value) : value));
  return json === undefined ? undefined : digest(`${JSON.stringify(name)} ${json}`);
}

/** Undefined for what has no JSON: cycles, BigInts, nesting too deep to follow. */
function toJson(value: unknown, replacer?: (key: string, value: unknown) => unknown): string | undefined {
  try {
    return JSON.stringify(value, replacer);
  } catch {
    return undefined;
  }
}

/** The text of a result, or else its JSON; undefined for an empty one. */
function resultText({ content }: ToolResultBlock): string | undefined {
  if (content === undefined || content.length === 0) return undefined;
  if (typeof content === "string") return content;
  const [item] = content;
  const isOneText = content.length === 1 && item?.type === "text" && "text" in item && typeof item.text === "string";
  return isOneText ? item.text : toJson(content);
}

/**
 * A short key for a long text. V8 does not hash strings beyond 16,383 characters but compares them, so that a Map with
 * a thousand large files of one length as its keys takes seconds.
 */
function digest(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
  }
  return `${text.length} ${first >>> 0} ${second >>> 0}`;
}

function sortKeys(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
