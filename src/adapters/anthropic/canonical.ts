import { isRecord } from "../../core/transcript/read-json.ts";
import type { ItemGroup } from "./read-layout.ts";

/** What a client sets anew in each request. */
const REQUEST_MARKS: ReadonlySet<string> = new Set(["cache_control", "output_config"]);

/** A text that is equal for groups that say the same. */
export function canonicalGroup({ main, attached }: ItemGroup): string {
  return JSON.stringify([main, ...attached].map(({ value }) => canonicalSpoken(value)));
}

/** A message or a block, without marks; content in its one form. */
export function canonicalSpoken(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([name]) => !REQUEST_MARKS.has(name));
  return sorted(entries.map(([name, field]) => [name, name === "content" ? canonicalContent(field) : ordered(field)]));
}

function canonicalContent(content: unknown): unknown {
  if (typeof content === "string") return [canonicalSpoken({ type: "text", text: content })];
  return Array.isArray(content) ? content.map(canonicalSpoken) : ordered(content);
}

/** Data such as a call's arguments: nothing in it is a mark. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  return isRecord(value) ? sorted(Object.entries(value).map(([name, field]) => [name, ordered(field)])) : value;
}

function sorted(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
