import type { ToolUseBlock } from "../message/message.ts";
import { TOOL_TABLES } from "./agent-tools.ts";
import { entriesOf, normalize } from "./stand-in-call.ts";
import type { ToolKind, ToolRule, ToolSwitch } from "./tool-table.ts";

const RULES = /* @__PURE__ */ mergeTables();

/** The rule for the tool that was called; a guess where no table has it. */
export function findRule({ name, input }: ToolUseBlock): ToolRule {
  // Tools of MCP servers have the server's name as a prefix: mcp__files__read_file.
  const rule = RULES.get(normalize(name.split("__").at(-1) ?? name)) ?? guessRule(name, input);
  if (!("argument" in rule)) return rule;
  const fields = typeof input === "object" && input !== null ? entriesOf(input) : [];
  const value = fields.find(([key]) => key === rule.argument)?.[1];
  return (typeof value === "string" && Object.hasOwn(rule.rules, value) && rule.rules[value]) || { kind: "other" };
}

/** Joins all tables. Where agents have tools of the same name with different arguments, the rule has the arguments of both. */
function mergeTables(): ReadonlyMap<string, ToolRule | ToolSwitch> {
  const rules = new Map<string, ToolRule | ToolSwitch>();
  for (const table of TOOL_TABLES) {
    for (const [name, rule] of Object.entries(table)) {
      const earlier = rules.get(normalize(name));
      const isMerged = earlier !== undefined && !("argument" in earlier) && !("argument" in rule);
      rules.set(normalize(name), isMerged ? mergeRules(earlier, rule) : rule);
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

/** The kind of a tool by a part of its name; the first match counts. Names are compared without case and separators. */
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

/** Guesses the rule of an unknown tool, from its arguments first and its name second. */
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
