import { itemsOf, type JsonObject, objectsOf, stringOf } from "../json.ts";

/** The type of an item; a message may leave it out. */
export function typeOf(item: JsonObject | undefined): string {
  return stringOf(item?.type) || (item?.role === undefined ? "" : "message");
}

/** The input as items: a string is what the user says. */
export function inputItems(input: unknown): readonly JsonObject[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(input);
}

/** Whether the model said it. */
export function isReply(item: JsonObject | undefined): boolean {
  return isReasoning(item) || item?.role === "assistant" || typeOf(item).endsWith("_call");
}

export function isReasoning(item: JsonObject | undefined): boolean {
  return typeOf(item) === "reasoning";
}

export interface DeclaredTool {
  /** Whether its input is any text, and not JSON. */
  readonly isCustom: boolean;
  /** The group that it is declared in. */
  readonly namespace: string | undefined;
}

/** The tools that a request declares, in its own field or among its items, by name. */
export function declaredTools({ tools, input }: JsonObject): ReadonlyMap<string, DeclaredTool> {
  const added = inputItems(input).flatMap((item) => (typeOf(item) === "additional_tools" ? itemsOf(item.tools) : []));
  return new Map(namedTools([...itemsOf(tools), ...added], undefined));
}

function namedTools(tools: unknown, namespace: string | undefined): readonly (readonly [string, DeclaredTool])[] {
  return objectsOf(tools).flatMap((tool) => {
    const name = stringOf(tool.name);
    if (tool.type === "namespace") return namedTools(tool.tools, name);
    return [[name, { namespace, isCustom: tool.type === "custom" }] as const];
  });
}
