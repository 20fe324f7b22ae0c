import type { JsonSchema } from "../tool-definition.ts";

export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The part of `root` that a reference such as `#/$defs/Path` names; undefined for any other reference. */
export function resolvePointer(root: JsonSchema, reference: unknown): unknown {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let part: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
    part = Reflect.get(part, key);
  }
  return part;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
