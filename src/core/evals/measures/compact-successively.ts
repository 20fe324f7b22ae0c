import type { Message } from "../../message/message.ts";
import type { EvalStrategy, View } from "../eval-types.ts";
import { callStarts } from "../find-boundaries.ts";

/** The same log, compacted ten times on its way instead of once at its end. */
export const SUCCESSIVE_COMPACTIONS = 10;

/** Compacts at ten evenly spaced model calls, each time the view before and what was said since; the last time at the end. */
export function compactSuccessively(strategy: EvalStrategy, log: readonly Message[], budgetTokens: number): View {
  let view: View = [];
  let start = 0;
  for (const end of stops(log)) {
    view = strategy.compact([...asMessages(view), ...log.slice(start, end)], budgetTokens);
    start = end;
  }
  return view;
}

function stops(log: readonly Message[]): readonly number[] {
  const starts = callStarts(log);
  const places = Array.from({ length: SUCCESSIVE_COMPACTIONS - 1 }, (_, index) => {
    return starts[Math.floor(((index + 1) * starts.length) / SUCCESSIVE_COMPACTIONS)] ?? 0;
  });
  return [...new Set(places.filter((place) => place > 0)), log.length];
}

function asMessages(view: View): readonly Message[] {
  if (typeof view !== "string") return view;
  return view === "" ? [] : [{ role: "user", content: view }];
}
