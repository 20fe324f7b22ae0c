import {
  CLEARING_FOLD_IDS,
  type ClearingKind,
  isNothingCleared,
  NOTHING_CLEARED,
  type ProviderClearing,
} from "../../core/history/provider-clearing.ts";
import type { SessionEvent } from "./report.ts";

/** What a provider leaves out of a session's requests, and what it was asked to leave out no longer. */
export interface ClearingState {
  readonly cleared: ProviderClearing;
  readonly restored: readonly ClearingKind[];
}

/** Whether something of the session is hidden from the model by its provider. */
export function hidesSomething({ cleared }: ClearingState): boolean {
  return !isNothingCleared(cleared);
}

/** Of several reports the newest counts: providers decide anew for each request. */
export function clearingOf(events: readonly SessionEvent[]): ClearingState {
  let cleared = NOTHING_CLEARED;
  const restored = new Set<ClearingKind>();
  for (const event of events) {
    if (event.type === "cleared") cleared = event;
    if (event.type !== "restored") continue;
    if (event.foldId === CLEARING_FOLD_IDS.results) {
      restored.add("results");
      cleared = { ...cleared, toolUseIds: [], hidesInputs: false };
    }
    if (event.foldId === CLEARING_FOLD_IDS.thoughts) {
      restored.add("thoughts");
      cleared = { ...cleared, thoughtsOf: [] };
    }
  }
  return { cleared, restored: [...restored] };
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
