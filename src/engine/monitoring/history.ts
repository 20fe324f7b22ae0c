import type { CondensationFailure, CondensationSuccess, FallbackToTruncation } from "../../core/ports/telemetry.ts";
import type { PluginFault } from "../extensions/fault.ts";

/** One thing that happened; `at` is in milliseconds since the epoch. */
export type HistoryEntry =
  | ({ readonly type: "success"; readonly at: number } & CondensationSuccess)
  | ({ readonly type: "failure"; readonly at: number } & CondensationFailure)
  | ({ readonly type: "fallback"; readonly at: number } & FallbackToTruncation)
  | ({ readonly type: "fault"; readonly at: number } & PluginFault);

/** The newest entries, oldest first; older ones are let go. */
export interface History {
  add(entry: HistoryEntry): void;
  entries(): readonly HistoryEntry[];
}

export function createHistory(keepEntries: number): History {
  const kept: HistoryEntry[] = [];
  return {
    add(entry) {
      kept.push(entry);
      if (kept.length > keepEntries) kept.shift();
    },
    entries: () => [...kept],
  };
}
