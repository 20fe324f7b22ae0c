import type { ModelRequest, ScriptedToolCall } from "../../src/testing/index.ts";
import { isObject, type OfferedTool, offeredTools, propertiesOf, requiredOf } from "./offered-tools.ts";

/** A call of a tool that an agent offers. */
export type OfferedCall = Omit<ScriptedToolCall, "id">;

/** What the model has an agent do by one call: a command for its shell, or the use of another of its own tools. */
export type ScriptedStep = string | OwnToolStep;

export type OwnToolStep =
  /** The path is absolute. */
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "skill"; readonly name: string }
  /** Writes its list of things to do. */
  | { readonly type: "plan"; readonly items: readonly string[] }
  /** Asks for the definitions of tools that it offers by name alone. */
  | { readonly type: "find-tools"; readonly names: readonly string[] };

type JsonObject = ScriptedToolCall["input"];
type JsonValue = JsonObject[string];

/** What agents call the tool that runs a command. */
const SHELL_TOOLS = ["exec_command", "run_shell_command", "run_commands", "Bash", "bash"];
/** And what they call the command in it. */
const COMMAND_NAMES = ["cmd", "commands", "command"];
/** Codex's tool that takes a program, in which a command is one call. */
const PROGRAM_TOOL = "exec";

/** What agents call their other tools, and in them what a step says. */
const OWN_TOOLS: Readonly<Record<OwnToolStep["type"], OwnToolNames>> = {
  read: { tools: ["Read", "read_file", "read", "view"], fields: ["file_path", "filePath", "absolute_path", "path"] },
  skill: { tools: ["Skill", "skill", "activate_skill"], fields: ["skill", "name"] },
  plan: {
    tools: ["TodoWrite", "todo_write", "todowrite", "write_todos", "update_plan", "update_todo"],
    fields: ["todos", "plan"],
  },
  "find-tools": { tools: ["ToolSearch", "tool_search"], fields: ["query"] },
};

/** Claude Code's tool that takes one thing to do. */
const TASK_TOOL = "TaskCreate";
/** Copilot's, which keeps what is to be done in a table. */
const TABLE_TOOL = "sql";

interface OwnToolNames {
  readonly tools: readonly string[];
  readonly fields: readonly string[];
}

/** The calls that take this step with the tools that the request offers; none where it offers none that can. */
export function stepCalls(request: ModelRequest, step: ScriptedStep): readonly OfferedCall[] {
  const offered = offeredTools(request);
  if (typeof step === "string") return shellCalls(offered, step);
  const { tools, fields } = OWN_TOOLS[step.type];
  const tool = findTool(offered, tools);
  if (tool === undefined) return step.type === "plan" ? taskCalls(offered, step.items) : [];
  const properties = propertiesOf(tool.schema);
  const field = fields.find((name) => name in properties);
  if (field === undefined) return [];
  return [{ name: tool.name, input: withRequired(tool.schema, { [field]: stepValue(step, properties[field]) }) }];
}

/** Whether an agent works with it: titles and checks are asked for without the tools that read. */
export function isWorking(request: Pick<ModelRequest, "body">): boolean {
  return [...SHELL_TOOLS, ...OWN_TOOLS.read.tools, PROGRAM_TOOL].some((name) =>
    offeredTools(request).some((tool) => tool.name === name),
  );
}

function findTool(offered: readonly OfferedTool[], names: readonly string[]): OfferedTool | undefined {
  return offered.find(({ name, isCustom }) => !isCustom && names.includes(name));
}

function shellCalls(offered: readonly OfferedTool[], command: string): readonly OfferedCall[] {
  const shell = findTool(offered, SHELL_TOOLS);
  if (shell !== undefined) return [{ name: shell.name, input: shellInput(shell.schema, command) }];
  const isProgrammed = offered.some(({ name, isCustom }) => isCustom && name === PROGRAM_TOOL);
  if (!isProgrammed) return [];
  const rawInput = `const { output } = await tools.exec_command({ cmd: ${JSON.stringify(command)} }); text(output);`;
  return [{ name: PROGRAM_TOOL, input: {}, rawInput }];
}

/** Where each thing to do is a call of its own, or a row of a table. */
function taskCalls(offered: readonly OfferedTool[], items: readonly string[]): readonly OfferedCall[] {
  const tool = findTool(offered, [TASK_TOOL]);
  if (tool !== undefined) {
    return items.map((subject) => ({ name: TASK_TOOL, input: withRequired(tool.schema, { subject }) }));
  }
  const table = findTool(offered, [TABLE_TOOL]);
  if (table === undefined) return [];
  const rows = items.map((item, index) => `('${index + 1}', '${item}')`);
  const query = `INSERT INTO todos (id, title) VALUES ${rows.join(", ")}`;
  return [{ name: TABLE_TOOL, input: withRequired(table.schema, { query }) }];
}

function shellInput(schema: unknown, command: string): JsonObject {
  const properties = propertiesOf(schema);
  const commandName = COMMAND_NAMES.find((name) => name in properties) ?? "command";
  const asked = properties[commandName];
  const isList = isObject(asked) && asked.type === "array";
  return withRequired(schema, { [commandName]: isList ? [command] : command });
}

function stepValue(step: OwnToolStep, definition: unknown): JsonValue {
  switch (step.type) {
    case "read":
      return step.path;
    case "skill":
      return step.name;
    case "find-tools":
      return `select:${step.names.join(",")}`;
    case "plan": {
      const ofItem = isObject(definition) ? definition.items : undefined;
      return step.items.map((item, index) => planItem(ofItem, item, index));
    }
  }
}

/** What agents call the words of an entry in a list of things to do. */
const ITEM_NAMES = ["content", "description", "step", "title"];

function planItem(schema: unknown, item: string, index: number): JsonObject {
  const name = ITEM_NAMES.find((each) => each in propertiesOf(schema)) ?? "content";
  const isNumbered = "id" in propertiesOf(schema);
  return withRequired(schema, { [name]: item, ...(isNumbered ? { id: String(index + 1) } : {}) });
}

/** The fields that are said, and something for each other one that must be there. */
function withRequired(schema: unknown, said: JsonObject): JsonObject {
  const required = requiredOf(schema);
  const others = Object.entries(propertiesOf(schema)).filter(([name]) => !(name in said) && required.includes(name));
  return { ...said, ...Object.fromEntries(others.map(([name, definition]) => [name, neutralValue(definition)])) };
}

function neutralValue(definition: unknown): JsonValue {
  if (isNullable(definition)) return null;
  const choices: readonly unknown[] = isObject(definition) && Array.isArray(definition.enum) ? definition.enum : [];
  if (typeof choices[0] === "string") return choices[0];
  const type = isObject(definition) ? String(definition.type).toLowerCase() : "string";
  if (type === "boolean") return false;
  return type === "number" || type === "integer" ? 0 : "reads a note";
}

/** Strict schemas require every property; one that may be left out takes null instead. */
function isNullable(definition: unknown): boolean {
  const choices: readonly unknown[] = isObject(definition) && Array.isArray(definition.anyOf) ? definition.anyOf : [];
  return choices.some((choice) => isObject(choice) && choice.type === "null");
}
