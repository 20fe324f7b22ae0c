import type { ModelRequest } from "../../src/testing/index.ts";

/** A tool as a request offers it. */
export interface OfferedTool {
  readonly name: string;
  readonly isCustom: boolean;
  readonly schema: unknown;
}

/** All four APIs list their tools in one of these places, some in groups. */
export function offeredTools({ body }: Pick<ModelRequest, "body">): readonly OfferedTool[] {
  return toolsOf(body);
}

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

/** Of an object's schema. */
export function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  return isObject(schema) && isObject(schema.properties) ? schema.properties : {};
}

export function requiredOf(schema: unknown): readonly unknown[] {
  return isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
