import type { JsonSchema } from "../shape.ts";

/** Returns the schema of an object with exactly these properties. A property whose name ends in `?` may be missing. */
export function record(properties: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema {
  const entries = Object.entries(properties);
  const required = entries.flatMap(([name]) => (name.endsWith("?") ? [] : [name]));
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ""), schema])),
    required,
    additionalProperties: false,
  };
}

export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: JsonSchema, description?: string): JsonSchema {
  return { type: "array", items, ...(description === undefined ? {} : { description }) };
}

export function choice(...values: readonly string[]): JsonSchema {
  return { type: "string", enum: values };
}

export function always(value: string): JsonSchema {
  return { const: value };
}

/** Returns the schema with a description. */
export function described(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

export const STRING: JsonSchema = { type: "string" };
export const BOOLEAN: JsonSchema = { type: "boolean" };
export const NUMBER: JsonSchema = { type: "number" };
export const COUNT: JsonSchema = { type: "integer", minimum: 0 };
export const TIME: JsonSchema = { type: "number", description: "Milliseconds since the epoch." };

/** Returns the schema of a page of a list. */
export function page(name: string, items: JsonSchema, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return record({
    ...more,
    [name]: listOf(items),
    total: described(COUNT, "Of all pages."),
    "nextAfter?": described(COUNT, "What `after` takes for the next page; missing where this is the last."),
  });
}
