import { isRecord } from "../json/read-json.ts";
import { serialize } from "../tokens/serialize.ts";

/** Where agents put a tool's output. */
const TEXT_FIELDS: readonly string[] = ["output", "content", "result", "error"];

/** The field of a response that is all its text, if it is a string; undefined where there is no one such field. */
export function textFieldOf(fieldNames: Iterable<string>): string | undefined {
  // some SDKs repeat the function's name in here
  const others = [...fieldNames].filter((name) => name !== "name");
  return others.length === 1 ? TEXT_FIELDS.find((name) => name === others[0]) : undefined;
}

/** What a function answered, as text: of that one field, else the JSON of all of it. Empty where there is nothing. */
export function responseText(response: unknown): string {
  if (response === undefined || response === null) return "";
  const field = isRecord(response) ? textFieldOf(Object.keys(response)) : undefined;
  const text = isRecord(response) && field !== undefined ? response[field] : undefined;
  return typeof text === "string" ? text : serialize(response);
}

export function isFailed(response: unknown): boolean {
  return isRecord(response) && response.error !== undefined && response.error !== null;
}
