import { assert, assertArray, assertNumber, assertObject } from "../assert.ts";
import type { Permission, Phase } from "../layers/layered-state.ts";

/** A JSON Schema: any draft, any keywords. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a model is told of a tool: the part of a definition that is sent, and counted. */
export interface SentTool {
  readonly name: string;
  readonly description: string;
  /** The arguments, as JSON Schema of an object. */
  readonly inputSchema: JsonSchema;
}

/** A tool that an agent has. Immutable: what is learned about it is kept by object. */
export interface ToolDefinition extends SentTool {
  /** All that its use takes. Empty for one that touches nothing. */
  readonly permissions: readonly Permission[];
  /** Other names that phases may list it by. @default none */
  readonly aliases?: readonly string[];
  /** What it can do, in the words of the phase map: `search`, `readFile`, `execute` … @default by its name */
  readonly capabilities?: readonly string[];
  /** The phases to show it in; the phase map is not asked then. @default by the phase map */
  readonly phases?: readonly Phase[];
  /** The highest are shown first where not all fit. @default 0 */
  readonly priority?: number;
  /** What parameters are about, at any depth, where their names do not tell; `free` ones are never narrowed. @default by their names */
  readonly guardedParameters?: Readonly<Record<string, ParameterGuard>>;
}

/** What production holds to an allow-list. */
export type GuardedKind = "path" | "command";

export type ParameterGuard = GuardedKind | "free";

const PERMISSIONS = { read: 1, write: 1, execute: 1, delete: 1, admin: 1, deploy: 1 } satisfies Record<Permission, 1>;

const checked = new WeakSet<object>();

/** Refuses definitions that cannot be projected, and names that occur twice. */
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

/** The part of a definition that is sent: the same object each time, so that its count is kept. */
export function sentTool(tool: ToolDefinition): SentTool {
  const known = sentTools.get(tool);
  if (known !== undefined) return known;
  const { name, description, inputSchema } = tool;
  const sent: SentTool = { name, description, inputSchema };
  sentTools.set(tool, sent);
  return sent;
}
