import { assert, assertArray, assertNumber, assertObject } from "../assert.ts";
import type { Permission, Phase } from "../layers/layered-state.ts";

/** A JSON Schema: any draft, any keywords. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The part of a tool definition that is sent to the model, and counted. */
export interface SentTool {
  readonly name: string;
  readonly description: string;
  /** The arguments, as JSON Schema of an object. */
  readonly inputSchema: JsonSchema;
}

/** A tool of an agent. Must not be mutated: data derived from it is cached by object. */
export interface ToolDefinition extends SentTool {
  /** The permissions that its use needs. Empty for a tool that touches nothing. */
  readonly permissions: readonly Permission[];
  /** Other names by which phases may list it. @default none */
  readonly aliases?: readonly string[];
  /** What it can do, in the words of the phase map: `search`, `readFile`, `execute` … @default by its name */
  readonly capabilities?: readonly string[];
  /** The phases that show it, in place of the phase map. @default by the phase map */
  readonly phases?: readonly Phase[];
  /** Where not all tools fit, those with the highest priority are shown. @default 0 */
  readonly priority?: number;
  /** The kinds of parameters, at any depth, whose names do not tell it; `free` ones are never narrowed. @default by their names */
  readonly guardedParameters?: Readonly<Record<string, ParameterGuard>>;
}

/** The kinds of parameters that are restricted to allow-lists in production. */
export type GuardedKind = "path" | "command";

export type ParameterGuard = GuardedKind | "free";

const PERMISSIONS = { read: 1, write: 1, execute: 1, delete: 1, admin: 1, deploy: 1 } satisfies Record<Permission, 1>;

const checked = new WeakSet<object>();

/** Throws "invalid-argument" on an invalid definition, or on a name that occurs twice. */
export function assertTools(tools: readonly ToolDefinition[]): void {
  assertArray("tools", tools);
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const where = `tools[${index}]`;
    assertObject(where, tool);
    if (!checked.has(tool)) assertTool(where, tool);
    checked.add(tool);
    assert(!names.has(tool.name), `${where}.name`, tool.name, "a name that no other tool has");
    names.add(tool.name);
  }
}

function assertTool(where: string, tool: ToolDefinition): void {
  assert(typeof tool.name === "string" && tool.name !== "", `${where}.name`, tool.name, "a name");
  assert(typeof tool.description === "string", `${where}.description`, tool.description, "a string");
  assertObject(`${where}.inputSchema`, tool.inputSchema);
  assertArray(`${where}.permissions`, tool.permissions);
  for (const permission of tool.permissions) {
    const isKnown = typeof permission === "string" && Object.hasOwn(PERMISSIONS, permission);
    assert(isKnown, `${where}.permissions`, permission, Object.keys(PERMISSIONS).join(", "));
  }
  for (const list of ["aliases", "capabilities", "phases"] as const) {
    const names: readonly unknown[] = tool[list] ?? [];
    assertArray(`${where}.${list}`, names);
    for (const name of names) assert(typeof name === "string", `${where}.${list}`, name, "a list of names");
  }
  assertNumber(`${where}.priority`, tool.priority ?? 0);
  assertObject(`${where}.guardedParameters`, tool.guardedParameters ?? {});
}

const sentTools = new WeakMap<ToolDefinition, SentTool>();

/** The part of a definition that is sent: the same object each time, so that its token count stays cached. */
export function sentTool(tool: ToolDefinition): SentTool {
  const cached = sentTools.get(tool);
  if (cached !== undefined) return cached;
  const { name, description, inputSchema } = tool;
  const sent: SentTool = { name, description, inputSchema };
  sentTools.set(tool, sent);
  return sent;
}
