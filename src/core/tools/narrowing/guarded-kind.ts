import type { GuardedKind, ToolDefinition } from "../tool-definition.ts";

const PATH_WORDS: ReadonlySet<string> = new Set([
  ...["path", "paths", "pathname", "file", "files", "filename", "filenames", "filepath", "filepaths", "glob", "globs"],
  ...["dir", "dirs", "dirname", "directory", "directories", "folder", "folders", "cwd", "workdir", "pwd"],
]);
const COMMAND_WORDS: ReadonlySet<string> = new Set(["command", "commands", "cmd", "cmds", "script", "scripts", "argv"]);
/** Whole names, for parameters whose last word alone does not tell their kind. */
const WHOLE_NAMES: ReadonlyMap<string, GuardedKind> = new Map([
  ["file pattern", "path"],
  ["path pattern", "path"],
  ["command line", "command"],
  ["shell input", "command"],
]);
/** Names for commands in tools that execute something; in other tools they have other meanings (a country code). */
const RUN_WORDS: ReadonlySet<string> = new Set(["code", "program", "source", "expression", "statement"]);

/** The kind of a parameter: as the tool declares it, else by its name; undefined for one that needs no allow-list. */
export function guardedKind(tool: ToolDefinition, parameter: string): GuardedKind | undefined {
  const { guardedParameters = {}, permissions } = tool;
  const declared = Object.hasOwn(guardedParameters, parameter) ? guardedParameters[parameter] : undefined;
  if (declared !== undefined) return declared === "free" ? undefined : declared;
  const words = wordsOf(parameter);
  const whole = WHOLE_NAMES.get(words.join(" "));
  if (whole !== undefined) return whole;
  // the last word tells the kind: a `file_text` is a text, a `path_to_file` is a file
  const last = words.at(-1)?.replace(/(?<!\p{N})\p{N}+$/u, "") ?? "";
  if (PATH_WORDS.has(last)) return "path";
  if (COMMAND_WORDS.has(last)) return "command";
  return permissions.includes("execute") && RUN_WORDS.has(last) ? "command" : undefined;
}

const ADDRESS_WORDS: ReadonlySet<string> = new Set([
  ...["url", "urls", "uri", "uris", "href", "hrefs", "endpoint", "endpoints"],
]);
const HOST_WORDS: ReadonlySet<string> = new Set(["host", "hosts", "hostname", "hostnames"]);

/** Whether a parameter, by its name, takes addresses or host names; undefined where it takes neither. */
export function addressKind(parameter: string): "address" | "host" | undefined {
  const last = wordsOf(parameter).at(-1) ?? "";
  if (ADDRESS_WORDS.has(last)) return "address";
  return HOST_WORDS.has(last) ? "host" : undefined;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
