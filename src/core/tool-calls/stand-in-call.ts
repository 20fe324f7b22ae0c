import type { ToolUseBlock } from "../message/message.ts";
import { cutAfter, cutBefore } from "../text/clip-cut.ts";

/** What most calls are about, best first; compared without case and separators. */
const MAIN_ARGUMENTS = [
  // Before the paths: what was searched for tells more than where.
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
  const known = MAIN_ARGUMENTS.find((key) => values.has(key));
  return known === undefined ? values.values().next().value : values.get(known);
}

function entriesOf(input: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(input);
  } catch {
    // A getter threw: the call is named by its tool alone.
    return [];
  }
}

function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  // Some agents pass a command as its words, and several files as a list.
  const isWords = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
  return isWords ? value.join(" ") : undefined;
}

/** Lower case, letters and digits only: `file_path`, `filePath` and `FILE-PATH` are one name. */
export function normalize(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** One line of at most about `characters`: paths matter at their end, commands at their start, so the middle goes. */
function shorten(text: string, characters: number): string {
  if (text.length <= characters) return oneLine(text);
  const head = text.slice(0, cutBefore(text, Math.ceil(characters / 2)));
  const tail = text.slice(cutAfter(text, text.length - Math.floor(characters / 2)));
  return oneLine(`${head}…${tail}`);
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
