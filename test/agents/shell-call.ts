import type { ModelRequest, ScriptedToolCall } from "../../src/testing/index.ts";

/** A call of a tool that an agent offers. */
export type OfferedCall = Omit<ScriptedToolCall, "id">;

type JsonObject = ScriptedToolCall["input"];
type JsonValue = JsonObject[string];

/** What agents call the tool that runs a command. */
const SHELL_TOOLS: ReadonlySet<string> = new Set(["exec_command", "run_shell_command", "run_commands", "Bash", "bash"]);
/** And what they call the command in it. */
const COMMAND_NAMES = ["cmd", "commands", "command"];
/** Codex's tool that takes a program, in which a command is one call. */
const PROGRAM_TOOL = "exec";

interface OfferedTool {
  readonly name: string;
  readonly isCustom: boolean;
  readonly schema: unknown;
}

/** A call that runs this command with the tools that the request offers; undefined where it offers none that can. */
export function shellCall(request: ModelRequest, command: string): OfferedCall | undefined {
  const offered = toolsOf(request.body);
  const shell = offered.find(({ name, isCustom }) => !isCustom && SHELL_TOOLS.has(name));
  if (shell !== undefined) return { name: shell.name, input: inputOf(shell.schema, command) };
  const isProgrammed = offered.some(({ name, isCustom }) => isCustom && name === PROGRAM_TOOL);
  if (!isProgrammed) return undefined;
  const rawInput = `const { output } = await tools.exec_command({ cmd: ${JSON.stringify(command)} }); text(output);`;
  return { name: PROGRAM_TOOL, input: {}, rawInput };
}

/** All four APIs list their tools in one of these places, some in groups. */
function toolsOf(value: unknown): readonly OfferedTool[] {
  if (!isObject(value)) return [];
  const entries = [value.tools, value.functionDeclarations, value.input].filter(Array.isArray).flat();
  return entries.flatMap((entry: unknown) => {
    if (!isObject(entry)) return [];
    const grouped = toolsOf(entry);
    if (grouped.length > 0) return grouped;
    const definition = isObject(entry.function) ? entry.function : entry;
    const { name } = definition;
    const schema = definition.input_schema ?? definition.parameters ?? definition.parametersJsonSchema;
    return typeof name === "string" ? [{ name, isCustom: entry.type === "custom", schema }] : [];
  });
}

function inputOf(schema: unknown, command: string): JsonObject {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  const commandName = COMMAND_NAMES.find((name) => name in properties) ?? "command";
  const asked = properties[commandName];
  const isList = isObject(asked) && asked.type === "array";
  const others = Object.entries(properties).filter(([name]) => name !== commandName && required.includes(name));
  return {
    [commandName]: isList ? [command] : command,
    ...Object.fromEntries(others.map(([name, definition]) => [name, neutralValue(definition)])),
  };
}

function neutralValue(definition: unknown): JsonValue {
  if (isNullable(definition)) return null;
  const type = isObject(definition) ? String(definition.type).toLowerCase() : "string";
  if (type === "boolean") return false;
  return type === "number" || type === "integer" ? 0 : "reads a note";
}

/** Strict schemas require every property; one that may be left out takes null instead. */
function isNullable(definition: unknown): boolean {
  const choices: readonly unknown[] = isObject(definition) && Array.isArray(definition.anyOf) ? definition.anyOf : [];
  return choices.some((choice) => isObject(choice) && choice.type === "null");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
