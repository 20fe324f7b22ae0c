import {
  CLEARING_FOLD_IDS,
  type ClearingKind,
  isNothingCleared,
  type ProviderClearing,
  type RecordedClearing,
} from "../../core/history/provider-clearing.ts";
import type { SessionEvent } from "./report.ts";

/** What a provider leaves out of a session's requests, and what it was asked to leave out no longer. */
export interface ClearingState {
  readonly cleared: ProviderClearing;
  readonly restored: readonly ClearingKind[];
  /** Whether the provider ever left something out, restored or not. */
  readonly isRecorded: boolean;
}

/** Whether something of the session is hidden from the model by its provider. */
export function hidesSomething({ cleared }: ClearingState): boolean {
  return !isNothingCleared(cleared);
}

/** Of several reports the newest counts, with all before that it adds to: providers decide anew for each request. */
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
      // One by one: arguments of a call are limited.
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

/** What a report adds to the one before, as an event keeps it: all of it where something is no longer left out. */
export function newlyCleared(before: ProviderClearing, now: ProviderClearing): RecordedClearing {
  const toolUseIds = addedTo(before.toolUseIds, now.toolUseIds);
  const thoughtsOf = addedTo(before.thoughtsOf, now.thoughtsOf);
  const isAddition = !isNothingCleared(before) && toolUseIds !== undefined && thoughtsOf !== undefined;
  return isAddition ? { toolUseIds, thoughtsOf, hidesInputs: now.hidesInputs, isAddition } : now;
}

/** What comes after all that was there before; undefined where that is no longer how it begins. */
function addedTo(before: readonly string[], now: readonly string[]): readonly string[] | undefined {
  return before.every((id, index) => now[index] === id) ? now.slice(before.length) : undefined;
}

/** Whether the fold of this id is one that a provider makes, and hides something now. */
export function isClearing(foldId: string, { cleared }: ClearingState): boolean {
  if (foldId === CLEARING_FOLD_IDS.results) return cleared.toolUseIds.length > 0;
  return foldId === CLEARING_FOLD_IDS.thoughts && cleared.thoughtsOf.length > 0;
}

export function isSameClearing(one: ProviderClearing, other: ProviderClearing): boolean {
  const keyOf = ({ toolUseIds, hidesInputs, thoughtsOf }: ProviderClearing) =>
    JSON.stringify([toolUseIds, hidesInputs, thoughtsOf]);
  return keyOf(one) === keyOf(other);
}
