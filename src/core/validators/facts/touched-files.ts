import type { Message, ToolUseBlock } from "../../message/message.ts";
import { contentBlocks, isToolUse } from "../../message/tool-pairs.ts";
import { stringsIn } from "../../text/message-texts.ts";
import { entriesOf, normalize } from "../../tool-calls/stand-in-call.ts";
import { isReadingTool } from "../../truncate/dedupe-key.ts";

/** Arguments that name files, compared without case and separators. */
const FILE_ARGUMENTS: ReadonlySet<string> = new Set([
  ...["path", "filepath", "absolutepath", "relativepath", "targetfile"],
  ...["notebookpath", "filename", "file", "paths", "files"],
]);

const MAX_PATH_CHARACTERS = 256;
const MAX_PATHS_PER_CALL = 50;

/** The paths in the calls of tools that only read (`read`), or of all other tools (`modified`); the newest call first. */
export function* touchedFiles(hidden: readonly Message[], touch: "read" | "modified"): Generator<string> {
  for (const message of hidden.toReversed()) {
    for (const block of contentBlocks(message.content).toReversed()) {
      if (!isToolUse(block) || isReadingTool(block.name) !== (touch === "read")) continue;
      yield* pathsOf(block);
    }
  }
}

function* pathsOf(call: ToolUseBlock): Generator<string> {
  let left = MAX_PATHS_PER_CALL;
  for (const argument of fileArguments(call.input)) {
    for (const text of stringsIn(argument)) {
      if (left-- === 0) return;
      if (isFile(text)) yield text;
    }
  }
  for (const text of stringsIn(call.input)) {
    for (const path of patchedFiles(text)) {
      if (left-- === 0) return;
      yield path;
    }
  }
}

/**
 * Whether a path is that of a file: tools take folders in the same arguments, and most files have a dot in their last segment, or a capital
 * (Makefile). A path with spaces is left out, because each of its words would count as a path.
 */
function isFile(path: string): boolean {
  if (path.length > MAX_PATH_CHARACTERS || /\s/.test(path)) return false;
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return /[.A-Z]/.test(path.slice(slash + 1));
}

function fileArguments(input: unknown): readonly unknown[] {
  if (typeof input !== "object" || input === null) return [];
  return entriesOf(input).flatMap(([name, value]) => (FILE_ARGUMENTS.has(normalize(name)) ? [value] : []));
}

const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (\S{1,256})$/gm;

/** The files in the headers of an `apply_patch` text, which may be a tool's argument or part of a shell command. */
function* patchedFiles(text: string): Generator<string> {
  if (!text.includes("*** Begin Patch")) return;
  for (const match of text.matchAll(PATCHED_FILE)) yield match[1] ?? "";
}
