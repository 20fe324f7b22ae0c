import { assert, assertArray, assertNumber, assertObject } from "../../core/assert.ts";
import {
  CLEARING_FOLD_IDS,
  type ClearingKind,
  isNothingCleared,
  type ProviderClearing,
  type RecordedClearing,
} from "../../core/history/provider-clearing.ts";
import type { EventTypes, SessionEvent } from "./report.ts";

/** What a provider says that it left out of the newest request. */
export interface ReportedProviderClearing {
  /** The calls whose results the provider left out. */
  readonly toolUseIds: readonly string[];
  /** Whether it left out the inputs of these calls, too. @default false */
  readonly hidesInputs?: boolean | undefined;
  /** How many messages lost their thoughts, the oldest first. @default 0 */
  readonly thoughts?: number | undefined;
}

/** What a provider leaves out of a session's requests, and what a person has restored. */
export interface ClearingState {
  readonly cleared: ProviderClearing;
  readonly restored: readonly ClearingKind[];
  /** Whether the provider ever left something out, restored or not. */
  readonly isRecorded: boolean;
}

/** The types of events that `clearingOf` reads. */
export const CLEARING_EVENTS: EventTypes = ["cleared", "restored"];

/** Whether the provider hides something of the session from the model. */
export function hidesSomething({ cleared }: ClearingState): boolean {
  return !isNothingCleared(cleared);
}

/** Reads the clearing state from a session's events. The newest report counts, with those before it that it adds to: providers decide anew for each request. */
export function clearingOf(events: readonly SessionEvent[]): ClearingState {
  let toolUseIds: string[] = [];
  let thoughtsOf: string[] = [];
  let hidesInputs = false;
  let isRecorded = false;
  const restored = new Set<ClearingKind>();
  for (const event of events) {
    if (event.type === "cleared") {
      isRecorded = true;
      if (event.isAddition !== true) [toolUseIds, thoughtsOf] = [[], []];
      // Not `push(...ids)`: the number of arguments is limited.
      for (const id of event.toolUseIds) toolUseIds.push(id);
      for (const id of event.thoughtsOf) thoughtsOf.push(id);
      hidesInputs = event.hidesInputs;
    }
    if (event.type !== "restored") continue;
    if (event.foldId === CLEARING_FOLD_IDS.results) {
      restored.add("results");
      [toolUseIds, hidesInputs] = [[], false];
    }
    if (event.foldId === CLEARING_FOLD_IDS.thoughts) {
      restored.add("thoughts");
      thoughtsOf = [];
    }
  }
  return { cleared: { toolUseIds, hidesInputs, thoughtsOf }, restored: [...restored], isRecorded };
}

/** What an event keeps of a report: what it adds to the one before or, where something is no longer left out, all of it. */
export function newlyCleared(before: ProviderClearing, now: ProviderClearing): RecordedClearing {
  const toolUseIds = addedTo(before.toolUseIds, now.toolUseIds);
  const thoughtsOf = addedTo(before.thoughtsOf, now.thoughtsOf);
  const isAddition = !isNothingCleared(before) && toolUseIds !== undefined && thoughtsOf !== undefined;
  return isAddition ? { toolUseIds, thoughtsOf, hidesInputs: now.hidesInputs, isAddition } : now;
}

/** The items behind those of `before`; undefined where `now` does not begin with them. */
function addedTo(before: readonly string[], now: readonly string[]): readonly string[] | undefined {
  return before.every((id, index) => now[index] === id) ? now.slice(before.length) : undefined;
}

/** Whether this is the id of a provider's clearing that hides something now. */
export function isClearing(foldId: string, { cleared }: ClearingState): boolean {
  if (foldId === CLEARING_FOLD_IDS.results) return cleared.toolUseIds.length > 0;
  return foldId === CLEARING_FOLD_IDS.thoughts && cleared.thoughtsOf.length > 0;
}

export function isSameClearing(one: ProviderClearing, other: ProviderClearing): boolean {
  const keyOf = ({ toolUseIds, hidesInputs, thoughtsOf }: ProviderClearing) =>
    JSON.stringify([toolUseIds, hidesInputs, thoughtsOf]);
  return keyOf(one) === keyOf(other);
}

/** Throws "invalid-argument" where a field has the wrong type. */
export function assertClearing(reported: ReportedProviderClearing): void {
  assertObject("clearing", reported);
  const { toolUseIds, hidesInputs, thoughts } = reported;
  assertArray("clearing.toolUseIds", toolUseIds);
  for (const [index, id] of toolUseIds.entries()) {
    assert(typeof id === "string", `clearing.toolUseIds[${index}]`, id, "the id of a tool call");
  }
  const isFlag = hidesInputs === undefined || typeof hidesInputs === "boolean";
  assert(isFlag, "clearing.hidesInputs", hidesInputs, "true or false");
  if (thoughts !== undefined) assertNumber("clearing.thoughts", thoughts, 0);
}
