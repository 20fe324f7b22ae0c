import { isRecord } from "../../core/transcript/read-json.ts";
import { partsOf, roleOf } from "./read-turns.ts";

/**
 * One text for all ways to write the same contents, with as many parts in the same places. Signatures are left out: agents add
 * and drop them on the same turn, for only those of the current one are looked at.
 */
export function canonicalTurn(contents: readonly unknown[]): string {
  return JSON.stringify(contents.map(canonicalContent));
}

const SIGNATURES: ReadonlySet<string> = new Set(["thoughtSignature", "thought_signature"]);
const READ_FIELDS: ReadonlySet<string> = new Set(["role", "parts"]);

function canonicalContent(content: unknown): unknown {
  const role = roleOf(content);
  const parts = partsOf(content);
  if (role === undefined || parts.length === 0) return sorted(content);
  return [role, parts.map((part) => sorted(part, SIGNATURES)), sorted(content, READ_FIELDS)];
}

/** The value with its keys in order, and without some of them. */
function sorted(value: unknown, leftOut?: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).filter((key) => leftOut?.has(key) !== true);
  return Object.fromEntries(keys.sort().map((key) => [key, sorted(value[key])]));
}
