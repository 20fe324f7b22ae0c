import { asRecord, type JsonRecord } from "../../core/transcript/read-json.ts";

/** Marks for caches: they move from request to request. */
const MARKS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"]);

/** One text per item, equal for items that say the same. */
export function canonicalItem(value: unknown): string {
  // An input may be a string alone.
  if (typeof value === "string") return canonicalItem({ role: "user", content: value });
  const item = asRecord(value);
  if (item === undefined) return stableText(value);
  const { content, output, ...rest } = item;
  const isMessage = item.type === undefined && item.role !== undefined;
  return stableText({
    ...withoutMarks(rest),
    ...(isMessage && { type: "message" }),
    ...(content !== undefined && { content: canonicalParts(content, textTypeOf(item)) }),
    ...(output !== undefined && { output: canonicalParts(output, "input_text") }),
  });
}

function textTypeOf({ role }: JsonRecord): string {
  return role === "assistant" ? "output_text" : "input_text";
}

function canonicalParts(content: unknown, textType: string): unknown {
  if (typeof content === "string") return [{ type: textType, text: content }];
  return Array.isArray(content) ? content.map((part) => withoutMarks(asRecord(part)) ?? part) : content;
}

function withoutMarks(record: JsonRecord | undefined): JsonRecord | undefined {
  if (record === undefined || !Object.keys(record).some((name) => MARKS.has(name))) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !MARKS.has(name)));
}

/** The keys of each object in order, and strings by their length: megabytes of them need no escapes. */
function stableText(value: unknown): string {
  if (typeof value === "string") return `${value.length}"${value}`;
  if (Array.isArray(value)) return `[${value.map(stableText).join(",")}]`;
  const record = asRecord(value);
  if (record === undefined) return String(value);
  const names = Object.keys(record).sort();
  return `{${names.map((name) => `${stableText(name)}:${stableText(record[name])}`).join(",")}}`;
}
