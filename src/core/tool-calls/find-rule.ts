import type { ToolUseBlock } from "../message/message.ts";
import { TOOL_TABLES } from "./agent-tools.ts";
import { normalize } from "./stand-in-call.ts";
import type { ToolKind, ToolRule, ToolSwitch } from "./tool-table.ts";

const RULES = /* @__PURE__ */ mergeTables();

/** What is known about the tool that was called; a guess where no table has it. */
export function findRule({ name, input }: ToolUseBlock): ToolRule {
  // Tools of MCP servers carry the server's name in front: mcp__files__read_file.
  const known = RULES.get(normalize(name.split("__").at(-1) ?? name)) ?? guessRule(name, input);
  if (!("argument" in known)) return known;
  const fields = typeof input === "object" && input !== null ? entriesOf(input) : [];
  const value = fields.find(([key]) => key === known.argument)?.[1];
  return (typeof value === "string" && Object.hasOwn(known.rules, value) && known.rules[value]) || { kind: "other" };
}

/** Agents give different arguments to tools of one name; those of one kind are taken together. */
function mergeTables(): ReadonlyMap<string, ToolRule | ToolSwitch> {
  const rules = new Map<string, ToolRule | ToolSwitch>();
  for (const table of TOOL_TABLES) {
    for (const [name, rule] of Object.entries(table)) {
      const known = rules.get(normalize(name));
      const isMerged = known !== undefined && !("argument" in known) && !("argument" in rule);
      rules.set(normalize(name), isMerged ? mergeRules(known, rule) : rule);
    }
  }
  return rules;
}

function mergeRules(one: ToolRule, other: ToolRule): ToolRule {
  const both = (argument: Exclude<keyof ToolRule, "kind">) => [...(one[argument] ?? []), ...(other[argument] ?? [])];
  return {
    kind: one.kind,
    path: both("path"),
    command: both("command"),
    oldText: both("oldText"),
    newText: both("newText"),
    patch: both("patch"),
  };
}

/** The fields of an argument; none where a getter throws: what it would have given is not sent either. */
export function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(value);
  } catch {
    return [];
  }
}

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
function guessRule(name: string, input: unknown): ToolRule {
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
