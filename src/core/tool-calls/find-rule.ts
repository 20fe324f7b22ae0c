import type { ToolUseBlock } from "../message/message.ts";
import { CLAUDE_CODE_TOOLS } from "./claude-code.ts";
import { CODEX_TOOLS } from "./codex.ts";
import { GEMINI_CLI_TOOLS } from "./gemini-cli.ts";
import { guessRule } from "./generic.ts";
import { OPENCODE_TOOLS } from "./opencode.ts";
import { OPENHANDS_TOOLS } from "./openhands.ts";
import { PI_TOOLS } from "./pi.ts";
import { ROO_TOOLS } from "./roo.ts";
import { normalize } from "./stand-in-call.ts";
import { SWE_AGENT_TOOLS } from "./swe-agent.ts";
import type { ToolRule, ToolSwitch, ToolTable } from "./tool-table.ts";

const TABLES: readonly ToolTable[] = [
  ...[CLAUDE_CODE_TOOLS, CODEX_TOOLS, GEMINI_CLI_TOOLS, ROO_TOOLS, OPENHANDS_TOOLS],
  ...[OPENCODE_TOOLS, PI_TOOLS, SWE_AGENT_TOOLS],
];

const RULES = mergeTables();

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
  for (const table of TABLES) {
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
