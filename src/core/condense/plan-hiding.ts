import { isStandIn, summaryId } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { Block, CountTokens, Message } from "../message/message.ts";
import { detectUnits } from "../message/units.ts";
import { addTotals, NOTHING_HIDDEN, totalOf, totalsBehindStandIns } from "../truncate/hidden-totals.ts";
import type { CondensationPlan } from "./condensation-plan.ts";
import { readableSummary, summaryTextOf } from "./summary-text.ts";
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
  /** Stays visible, and is shown to the model before what will be hidden. */
  readonly goal: readonly ViewEntry[];
  readonly carried: readonly Block[];
  /** What the view shows right after the last hidden entry. */
  readonly next: ViewEntry | undefined;
}

/** The plan that hides these entries of the log's view. */
export function planHiding(
  messages: readonly Message[],
  hidden: readonly ViewEntry[],
  { taskId, countTokens, goal, carried, next }: PlanHidingOptions,
): CondensationPlan {
  const totals = totalsBehindStandIns(messages, countTokens);
  const toRead = [...goal, ...hidden];
  const earlierId = toRead.map((entry) => summaryId(entry.original)).findLast((id) => id !== undefined);
  const earlier = toRead.find((entry) => earlierId !== undefined && summaryId(entry.original) === earlierId);
  const ts = next?.original.ts;
  return {
    type: "condense",
    condenseId: newFoldId("condense", taskId, messages),
    hidden: hidden.map((entry) => entry.logIndex),
    total: hidden.map((entry) => totalOf(entry.original, totals, countTokens)).reduce(addTotals, NOTHING_HIDDEN),
    toSummarize: toRead.map(({ original, message }) => {
      const id = summaryId(original);
      return id === undefined ? message : readableSummary(message, id !== earlierId);
    }),
    carried,
    ...(earlier === undefined ? {} : { earlierSummary: summaryTextOf(earlier.message) }),
    ...(ts === undefined ? {} : { ts: ts - 1 }),
  };
}
