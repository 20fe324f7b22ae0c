import type { CondensationFailure, CondensationSuccess, FallbackToTruncation } from "../../core/ports/telemetry.ts";
import type { PluginFault } from "../extensions/fault.ts";

/** One event in an engine; `at` is in milliseconds since the epoch. */
export type HistoryEntry =
  | ({ readonly type: "success"; readonly at: number } & CondensationSuccess)
  | ({ readonly type: "failure"; readonly at: number } & CondensationFailure)
  | ({ readonly type: "fallback"; readonly at: number } & FallbackToTruncation)
  | ({ readonly type: "fault"; readonly at: number } & PluginFault);

/** Keeps the newest entries. */
export interface History {
  add(entry: HistoryEntry): void;
  /** Oldest first. */
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
