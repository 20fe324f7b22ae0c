import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { stableList, stableRecord, stableText } from "../../core/json/stable-text.ts";
import { plainCallId } from "../../core/transcript/gemini-call-names.ts";
import { partsOf, roleOf } from "./read-turns.ts";

/**
 * One text for all ways to write the same contents, with as many parts in the same places. Signatures are left out: agents add
 * and drop them on the same turn, for only those of the current one are looked at.
 */
export function canonicalTurn(contents: readonly unknown[]): string {
  let text = "";
  for (const content of contents) text += `${canonicalContent(content)}\n`;
  return text;
}

function canonicalContent(content: unknown): string {
  const role = roleOf(content);
  const parts = partsOf(content);
  if (role === undefined || parts.length === 0 || !isRecord(content)) return stableText(content);
  return `${role} ${stableList(parts, canonicalPart)}${stableRecord(content, otherField)}`;
}

function canonicalPart(part: unknown): string {
  return isRecord(part) ? stableRecord(part, partField) : stableText(part);
}

function partField(name: string, value: unknown): string | undefined {
  switch (name) {
    case "thoughtSignature":
    case "thought_signature":
      return undefined;
    case "functionCall":
    case "function_call":
    case "functionResponse":
    case "function_response":
      return isRecord(value) && typeof value.id === "string" ? canonicalPaired(value, value.id) : stableText(value);
    default:
      return stableText(value);
  }
}

/** A call or a response with an id. */
function canonicalPaired(paired: JsonRecord, id: string): string {
  return stableRecord(paired, (name, value) => stableText(name === "id" ? plainCallId(id, paired.name) : value));
}

function otherField(name: string, value: unknown): string | undefined {
  return name === "role" || name === "parts" ? undefined : stableText(value);
}
