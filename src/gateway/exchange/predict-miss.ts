import { type JsonSlice, sliceFields, sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import type { PredictedCacheMiss, PromptPart } from "../../core/statement/cache-diagnosis.ts";

/** One request of a session: as the agent sent it, and as it went upstream. */
export interface SentBodies {
  readonly agent: string;
  readonly sent: string;
}

type ListPaths = readonly (readonly string[])[];

/**
 * The first change since the request before that a prefix cache cannot read past; undefined where something was only added at the end. The
 * agent made it where its own requests differ, too; otherwise a fold of ours did.
 */
export function predictMiss(before: SentBodies, now: SentBodies, listPaths: ListPaths): PredictedCacheMiss | undefined {
  const change = firstChange(before.sent, now.sent, listPaths);
  if (change === undefined) return undefined;
  const byAgent = before.agent === before.sent && now.agent === now.sent;
  const own = byAgent ? change : firstChange(before.agent, now.agent, listPaths);
  return { ...change, cause: own === undefined || isLater(own.part, change.part) ? "gateway" : "agent" };
}

/** In the order in which a model reads them. */
const PARTS: readonly PromptPart[] = ["model", "tools", "system", "messages"];
const FIELDS: Readonly<Record<Exclude<PromptPart, "messages">, readonly string[]>> = {
  model: ["model"],
  tools: ["tools"],
  system: ["system", "instructions", "systemInstruction", "system_instruction"],
};

function isLater(part: PromptPart, other: PromptPart): boolean {
  return PARTS.indexOf(part) > PARTS.indexOf(other);
}

type Change = Omit<PredictedCacheMiss, "cause">;

function firstChange(before: string, now: string, listPaths: ListPaths): Change | undefined {
  const [fieldsBefore, fieldsNow] = [sliceFields(before), sliceFields(now)];
  for (const part of ["model", "tools", "system"] as const) {
    for (const name of FIELDS[part]) {
      const byte = changedByte([before, fieldsBefore?.get(name)], [now, fieldsNow?.get(name)]);
      if (byte !== undefined) return { part, byte };
    }
  }
  return changedMessage(before, now, listPaths);
}

function changedMessage(before: string, now: string, listPaths: ListPaths): Change | undefined {
  const itemsIn = (body: string) => listPaths.map((path) => sliceListAt(body, path)?.items).find(Boolean) ?? [];
  const itemsNow = itemsIn(now);
  for (const [index, item] of itemsIn(before).entries()) {
    const byte = changedByte([before, item], [now, itemsNow[index]]);
    if (byte !== undefined) return { part: "messages", byte: itemsNow[index] ? byte : (itemsNow.at(-1)?.end ?? byte) };
  }
  return undefined;
}

type Place = readonly [body: string, slice: JsonSlice | undefined];

/** Where in the second text a value first differs; undefined where it says the same, marks for caches aside. */
function changedByte([before, one]: Place, [now, other]: Place): number | undefined {
  if (one === undefined && other === undefined) return undefined;
  const [first, second] = [textOf(before, one), textOf(now, other)];
  if (first === second || unmarked(first) === unmarked(second)) return undefined;
  const start = other?.start ?? 0;
  return Buffer.byteLength(now.slice(0, start + sharedLength(first, second)));
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

/** A value without marks; a string of text is the one block that clients write instead where they mark it. */
function unmarked(text: string): string {
  return JSON.stringify(tryParseJson(text), (name, value: unknown) => {
    if (MARKS.has(name)) return undefined;
    return name === "content" && typeof value === "string" ? [{ type: "text", text: value }] : value;
  });
}
