import { type JsonSlice, sliceFields, sliceListAt } from "../json/json-slices.ts";
import { tryParseJson } from "../json/parse-json.ts";
import type { PredictedCacheMiss, PromptPart } from "../statement/cache-diagnosis.ts";

export type PromptChange = Omit<PredictedCacheMiss, "cause">;
type ListPaths = readonly (readonly string[])[];

/** The parts of a prompt, in the order in which a model reads them. */
export const PROMPT_PARTS: readonly PromptPart[] = ["model", "tools", "system", "messages"];
const FIELDS: Readonly<Record<Exclude<PromptPart, "messages">, readonly string[]>> = {
  model: ["model"],
  tools: ["tools"],
  system: ["system", "instructions", "systemInstruction", "system_instruction"],
};

/**
 * The first change between two bodies that a prefix cache cannot read past, in the order in which a model reads their parts, wherever these stand in
 * the body; undefined where messages were only added at the end. `listPaths` are the paths at which a body may have its list of messages.
 */
export function firstPromptChange(before: string, now: string, listPaths: ListPaths): PromptChange | undefined {
  const [fieldsBefore, fieldsNow] = [sliceFields(before), sliceFields(now)];
  for (const part of ["model", "tools", "system"] as const) {
    for (const name of FIELDS[part]) {
      const byte = changedByte([before, fieldsBefore?.get(name)], [now, fieldsNow?.get(name)]);
      if (byte !== undefined) return { part, byte };
    }
  }
  return changedMessage(before, now, listPaths);
}

function changedMessage(before: string, now: string, listPaths: ListPaths): PromptChange | undefined {
  const itemsIn = (body: string) => listPaths.map((path) => sliceListAt(body, path)?.items).find(Boolean) ?? [];
  const itemsNow = itemsIn(now);
  for (const [index, item] of itemsIn(before).entries()) {
    const byte = changedByte([before, item], [now, itemsNow[index]]);
    if (byte !== undefined) return { part: "messages", byte: itemsNow[index] ? byte : (itemsNow.at(-1)?.end ?? byte) };
  }
  return undefined;
}

type Place = readonly [body: string, slice: JsonSlice | undefined];

/** The byte of the second body at which a value first differs; undefined where both are equal but for cache marks. */
function changedByte([before, one]: Place, [now, other]: Place): number | undefined {
  if (one === undefined && other === undefined) return undefined;
  const [first, second] = [textOf(before, one), textOf(now, other)];
  if (first === second || unmarked(first) === unmarked(second)) return undefined;
  const start = other?.start ?? 0;
  return new TextEncoder().encode(now.slice(0, start + sharedLength(first, second))).length;
}

function textOf(body: string, slice: JsonSlice | undefined): string {
  return slice === undefined ? "" : body.slice(slice.start, slice.end);
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < most && one[shared] === other[shared]) shared++;
  return shared;
}

const MARKS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"]);

/** A value without cache marks. A string of content becomes one text block, which is what clients write instead in order to mark it. */
function unmarked(text: string): string {
  return JSON.stringify(tryParseJson(text), (name, value: unknown) => {
    if (MARKS.has(name)) return undefined;
    return name === "content" && typeof value === "string" ? [{ type: "text", text: value }] : value;
  });
}
