import { type JsonObject, objectsOf } from "../json.ts";

/** One turn, its fields by their camelCase names whichever way they were spelled. */
export interface Turn {
  readonly role: unknown;
  readonly fields: JsonObject;
  readonly parts: readonly JsonObject[];
}

export function turnOf(content: JsonObject): Turn {
  const fields = camelKeys(content);
  return { role: fields.role, fields, parts: objectsOf(fields.parts).map(camelKeys) };
}

/** Proto JSON takes `functionCall` and `function_call` for the same. */
export function camelKeys(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

export function countParts({ parts }: Turn, kind: "functionCall" | "functionResponse"): number {
  return parts.filter((part) => part[kind] !== undefined).length;
}
