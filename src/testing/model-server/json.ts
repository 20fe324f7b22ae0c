import { parseJson } from "../../core/json/parse-json.ts";

/** A parsed JSON object that was not checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects in an array; none where the value is no array. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The array itself; an empty one where the value is no array. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The first key that is not allowed; undefined where all are. */
export function unknownKey(object: JsonObject, allowed: ReadonlySet<string>): string | undefined {
  return Object.keys(object).find((key) => !allowed.has(key));
}

export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
