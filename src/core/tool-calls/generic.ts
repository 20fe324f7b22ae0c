import { entriesOf } from "./find-rule.ts";
import { normalize } from "./stand-in-call.ts";
import type { ToolKind, ToolRule } from "./tool-table.ts";

const ARGUMENTS = {
  path: [
    ...["path", "file_path", "absolute_path", "relative_path", "target_file", "notebook_path", "filename"],
    ...["file", "paths", "files"],
  ],
  command: ["command", "cmd", "commands", "script"],
  oldText: ["old_string", "old_str", "old_text", "search"],
  newText: ["new_string", "new_str", "new_text", "replace", "content", "contents", "file_text"],
  patch: ["patch", "patch_text", "diff"],
} as const satisfies Partial<Record<keyof ToolRule, readonly string[]>>;

/** What a name says about a tool, the first that fits; names are compared without case and separators. */
const NAME_PARTS: readonly (readonly [part: string, kind: ToolKind])[] = [
  ["todo", "plan"],
  ["plan", "plan"],
  ["delete", "delete"],
  ["remove", "delete"],
  ["read", "read"],
  ["view", "read"],
  ["openfile", "read"],
  ["getfile", "read"],
];

/** Guesses what a tool of no known agent does, from its arguments first and its name second. */
export function guessRule(name: string, input: unknown): ToolRule {
  const given = new Set(
    typeof input === "object" && input !== null ? entriesOf(input).map(([key]) => normalize(key)) : [],
  );
  const has = (argument: keyof typeof ARGUMENTS) => ARGUMENTS[argument].some((key) => given.has(normalize(key)));
  return { kind: guessKind(normalize(name), has), ...ARGUMENTS };
}

function guessKind(name: string, has: (argument: keyof typeof ARGUMENTS) => boolean): ToolKind {
  if (has("patch") || (has("oldText") && has("newText"))) return "edit";
  if (has("path") && has("newText")) return "write";
  if (has("command")) return "run";
  const named = NAME_PARTS.find(([part]) => name.includes(part))?.[1] ?? "other";
  return named === "plan" || has("path") ? named : "other";
}
