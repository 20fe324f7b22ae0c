import { isStandIn, summaryId } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { Block, CountTokens, Message } from "../message/message.ts";
import { detectUnits } from "../message/units.ts";
import { addTotals, NOTHING_HIDDEN, totalOf, totalsBehindStandIns } from "../truncate/hidden-totals.ts";
import type { CondensationPlan } from "./condensation-plan.ts";
import { summaryTextOf } from "./summary-text.ts";
import type { ViewEntry } from "./view-entries.ts";

/** Fewer are not worth a request. */
const LEAST_MESSAGES = 2;

/**
 * What may be hidden of the view's entries from `start` to `end`: all but the units that hold a message which a person
 * marked important. Nothing where it would not be worth a request.
 */
export function hideable(view: readonly ViewEntry[], start: number, end: number): readonly ViewEntry[] {
  const units = detectUnits(view.map((entry) => entry.message));
  const entries = units.flatMap((unit) => {
    const within = view.slice(Math.max(start, unit.start), Math.min(end, unit.end));
    return within.some((entry) => entry.original.important === true) ? [] : within;
  });
  const isWorthwhile = entries.length >= LEAST_MESSAGES && entries.some((entry) => !isStandIn(entry.original));
  return isWorthwhile ? entries : [];
}

export interface PlanHidingOptions {
  readonly taskId: string;
  readonly countTokens: CountTokens;
  /** Shown to the model before what will be hidden. */
  readonly goal: readonly Message[];
  readonly carried: readonly Block[];
  readonly firstKept: ViewEntry | undefined;
}

/** The plan that hides these entries of the log's view. */
export function planHiding(
  messages: readonly Message[],
  hidden: readonly ViewEntry[],
  { taskId, countTokens, goal, carried, firstKept }: PlanHidingOptions,
): CondensationPlan {
  const totals = totalsBehindStandIns(messages, countTokens);
  const earlierId = hidden.map((entry) => summaryId(entry.original)).findLast((id) => id !== undefined);
  const earlier = hidden.find((entry) => summaryId(entry.original) === earlierId);
  const ts = firstKept?.original.ts;
  return {
    type: "condense",
    condenseId: newFoldId("condense", taskId, messages),
    hidden: hidden.map((entry) => entry.logIndex),
    total: hidden.map((entry) => totalOf(entry.original, totals, countTokens)).reduce(addTotals, NOTHING_HIDDEN),
    toSummarize: [
      ...goal,
      ...hidden
        .filter((entry) => earlierId === undefined || summaryId(entry.original) !== earlierId)
        .map((entry) => entry.message),
    ],
    carried,
    ...(earlierId === undefined || earlier === undefined ? {} : { earlierSummary: summaryTextOf(earlier.message) }),
    ...(ts === undefined ? {} : { ts: ts - 1 }),
  };
}
