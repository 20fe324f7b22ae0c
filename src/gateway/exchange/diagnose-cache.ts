import { type JsonSlice, sliceFields, sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import type { ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { CacheDiagnosis, PredictedCacheMiss, PromptPart } from "../../core/statement/cache-diagnosis.ts";
import type { LastReply } from "../sessions/session-pool.ts";
import type { TurnContext, TurnState } from "./turn-state.ts";

/** Asks the provider in one request why its cache missed, and compares the request with the previous one. */
export interface CacheDiagnostician {
  /** Adds the question to a body; undefined where the unchanged request is sent. */
  ask(body: string | undefined): string | undefined;
  /** The provider's diagnosis and ours; undefined where neither finds a miss. Also remembers the request, to compare the next one with it. */
  conclude(state: TurnState, notes: ReplyNotes): CacheDiagnosis | undefined;
}

const NOBODY: CacheDiagnostician = { ask: (body) => body, conclude: () => undefined };

/** The diagnostician of one turn. Does nothing where it is switched off, where the wire has no such question, or for side calls. */
export function diagnoseCache(context: TurnContext): CacheDiagnostician {
  const { adapter, incoming, conversation, recordedAs, diagnosesCache } = context;
  const { askCacheDiagnosis } = adapter;
  const isAsked = diagnosesCache === true && incoming.request.operation === "generate" && recordedAs !== "none";
  if (!isAsked || askCacheDiagnosis === undefined || conversation === undefined) return NOBODY;
  const before: LastReply | undefined = conversation.reply.newest;
  const agent = incoming.request.raw.body;
  let sent = agent;
  return {
    ask(body) {
      sent = body ?? agent;
      const asking = askCacheDiagnosis(sent, before?.id);
      return asking === sent ? body : asking;
    },
    conclude({ conversation: settled, loop }, { id, cacheMiss }) {
      // After answered calls of our recall tool, the newest reply belongs to the last of the turn's requests.
      const last = loop?.bodies().at(-1) ?? sent;
      if (settled !== undefined && id !== undefined) settled.reply.newest = { id, agent, sent: last };
      const predicted = before && predictMiss(before, { agent, sent }, adapter.listPaths);
      if (cacheMiss === undefined && predicted === undefined) return undefined;
      return { ...(cacheMiss && { provider: cacheMiss }), ...(predicted && { predicted }) };
    },
  };
}

/** One request of a session: as the agent sent it, and as it went upstream. */
interface SentBodies {
  readonly agent: string;
  readonly sent: string;
}

type ListPaths = readonly (readonly string[])[];

/**
 * The first change since the previous request that a prefix cache cannot read past; undefined where messages were only added at the end. The cause
 * is the agent if its own two requests differ at or before that part, else the gateway.
 */
export function predictMiss(before: SentBodies, now: SentBodies, listPaths: ListPaths): PredictedCacheMiss | undefined {
  const change = firstChange(before.sent, now.sent, listPaths);
  if (change === undefined) return undefined;
  const byAgent = before.agent === before.sent && now.agent === now.sent;
  const own = byAgent ? change : firstChange(before.agent, now.agent, listPaths);
  return { ...change, cause: own === undefined || isLater(own.part, change.part) ? "gateway" : "agent" };
}

/** The parts of a prompt, in the order in which a model reads them. */
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

/** The byte of the second body at which a value first differs; undefined where both are equal but for cache marks. */
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

/** A value without cache marks. A string of content becomes one text block, which is what clients write instead in order to mark it. */
function unmarked(text: string): string {
  return JSON.stringify(tryParseJson(text), (name, value: unknown) => {
    if (MARKS.has(name)) return undefined;
    return name === "content" && typeof value === "string" ? [{ type: "text", text: value }] : value;
  });
}
