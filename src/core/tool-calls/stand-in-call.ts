import type { ToolUseBlock } from "../message/message.ts";
import { cutAfter, cutBefore } from "../text/clip-cut.ts";

/** The arguments that best identify a call, best first; compared without case and separators. */
const MAIN_ARGUMENTS = [
  // Before the paths: the pattern of a search says more than its folder.
  ...["command", "cmd", "query", "pattern", "regex", "url", "uri"],
  ...["path", "filepath", "absolutepath", "targetfile", "notebookpath", "filename", "file", "paths", "files"],
  ...["script", "directory", "dir", "name", "id"],
];

const MAX_ARGUMENT_CHARACTERS = 44;
const MAX_NAME_CHARACTERS = 44;

/** Names a call by its tool and its main argument, in one short line: `read_file src/a.ts`. */
export function describeCall(call: ToolUseBlock | undefined): string {
  if (call === undefined) return "tool result";
  const name = shorten(call.name, MAX_NAME_CHARACTERS);
  const argument = shorten(mainArgument(call.input) ?? "", MAX_ARGUMENT_CHARACTERS);
  return argument === "" ? name : `${name} ${argument}`;
}

function mainArgument(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return asText(input);
  const values = new Map<string, string>();
  for (const [key, value] of entriesOf(input)) {
    const text = asText(value);
    if (text !== undefined) values.set(normalize(key), text);
  }
  const mainKey = MAIN_ARGUMENTS.find((key) => values.has(key));
  return mainKey === undefined ? values.values().next().value : values.get(mainKey);
}

/** The fields of an argument; none where a getter throws: JSON.stringify would throw too, so the call is never sent. */
export function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(value);
  } catch {
    return [];
  }
}

function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  // Some agents pass a command as an array of words, or several files.
  const isWords = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
  return isWords ? value.join(" ") : undefined;
}

/** A name in lower case, with letters and digits only: `file_path`, `filePath` and `FILE-PATH` are the same. */
export function normalize(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** One line of about `characters` at most, without the middle: paths matter at their end, commands at their start. */
function shorten(text: string, characters: number): string {
  if (text.length <= characters) return oneLine(text);
  const head = text.slice(0, cutBefore(text, Math.ceil(characters / 2)));
  const tail = text.slice(cutAfter(text, text.length - Math.floor(characters / 2)));
  return oneLine(`${head}…${tail}`);
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
