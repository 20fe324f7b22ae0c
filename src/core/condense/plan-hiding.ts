import { isPinned } from "../message/compaction.ts";
import { isStandIn, summaryId, tellsWhatCameBefore } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { Block, CountTokens, Message } from "../message/message.ts";
import { detectUnits } from "../message/units.ts";
import { isStanding, type Standing } from "../standing/find-standing.ts";
import type { StandingKind } from "../standing/standing-part.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import { addTotals, NOTHING_HIDDEN, totalOf, totalsBehindStandIns } from "../truncate/hidden-totals.ts";
import { newestDeciding } from "../truncate/measure-view.ts";
import { trimUnits } from "../truncate/trim-units.ts";
import type { CondensationPlan } from "./condensation-plan.ts";
import { readableSummary, summaryTextOf } from "./summary-text.ts";
import type { ViewEntry } from "./view-entries.ts";

/** Hiding fewer messages is not worth a request to a model. */
const LEAST_MESSAGES = 2;

/** A range of the view: what of it is hidden, and what stays for what binds. */
export interface HideableEntries {
  readonly hidden: readonly ViewEntry[];
  /** Entries of units that stay because something in them binds; everything else in them may be trimmed. */
  readonly standing: readonly ViewEntry[];
}

const NOTHING: HideableEntries = { hidden: [], standing: [] };

interface HideableRange {
  readonly start: number;
  readonly end: number;
  readonly standing: Standing;
  /** Fewer are not hidden. @default 2 */
  readonly leastMessages?: number | undefined;
  /** Set to keep the newest short units in which something was decided, measured by this counter. @default they are hidden */
  readonly decisions?: CountTokens | undefined;
}

/**
 * The entries of the view from `start` to `end` that may be hidden: all but units that hold a message marked important,
 * something that binds the agent, or a decision. None where they would not be worth a request.
 */
export function hideable(view: readonly ViewEntry[], range: HideableRange): HideableEntries {
  const { start, end, standing, leastMessages = LEAST_MESSAGES, decisions } = range;
  const hidden: ViewEntry[] = [];
  const whole: (readonly ViewEntry[])[] = [];
  const kept: ViewEntry[] = [];
  for (const unit of detectUnits(view.map((entry) => entry.message))) {
    const within = view.slice(Math.max(start, unit.start), Math.min(end, unit.end));
    if (within.some((entry) => isPinned(entry.original))) continue;
    const binds = within.some((entry) => isStanding(standing, entry.logIndex));
    (binds ? kept : hidden).push(...within);
    // The stand-in carries the calls of a unit that lies across the end: such a unit must not stay for a decision as well.
    if (!binds && unit.start >= start && unit.end <= end) whole.push(within);
  }
  const isWorthwhile = (entries: readonly ViewEntry[]) =>
    entries.length >= leastMessages && entries.some((entry) => !isStandIn(entry.original));
  if (!isWorthwhile(hidden)) return NOTHING;
  if (decisions === undefined) return { hidden, standing: kept };
  const deciding = decidingEntries(whole, { hidden, countTokens: decisions });
  const undecided = hidden.filter((entry) => !deciding.has(entry));
  return { hidden: isWorthwhile(undecided) ? undecided : hidden, standing: kept };
}

/** The share of the hideable tokens that units with decisions may keep: a condensation is there to save tokens. */
const MOST_DECIDING_SHARE = 0.1;

function decidingEntries(
  units: readonly (readonly ViewEntry[])[],
  { hidden, countTokens }: { readonly hidden: readonly ViewEntry[]; readonly countTokens: CountTokens },
): ReadonlySet<ViewEntry> {
  const tokensOf = (entries: readonly ViewEntry[]) =>
    countMessagesTokens(
      entries.map(({ message }) => message),
      countTokens,
    );
  let room = MOST_DECIDING_SHARE * tokensOf(hidden);
  const deciding = newestDeciding(units.map((entries) => ({ entries, tokens: tokensOf(entries) })));
  const kept = deciding.toReversed().filter(({ tokens }) => {
    room -= tokens;
    return room >= 0;
  });
  return new Set(kept.flatMap(({ entries }) => entries));
}

/** What may be hidden before `split`. Where the view would then begin with an assistant's message, its first unit stays too: a user must speak first. */
export function hideableBefore(
  view: readonly ViewEntry[],
  split: number,
  options: Pick<HideableRange, "standing" | "leastMessages" | "decisions">,
): HideableEntries {
  const entries = hideable(view, { start: 0, end: split, ...options });
  const hidden = new Set(entries.hidden);
  const firstKept = view.find((entry, index) => index < split && !hidden.has(entry));
  if (entries.hidden.length === 0 || firstKept === undefined || firstKept.message.role === "user") return entries;
  const firstUnitEnd = detectUnits(view.map((entry) => entry.message))[0]?.end ?? 0;
  return hideable(view, { start: firstUnitEnd, end: split, ...options });
}

export interface PlanHidingOptions {
  readonly taskId: string;
  readonly countTokens: CountTokens;
  /** Entries that stay visible, and that the model reads before those that will be hidden. */
  readonly goal: readonly ViewEntry[];
  readonly carried: readonly Block[];
  /** Entries that stay and are trimmed: the `standing` ones of `hideable`. */
  readonly kept: readonly ViewEntry[];
  readonly standing: Standing;
  /** The entry that the view shows right after the last hidden one. */
  readonly next: ViewEntry | undefined;
}

/** Kept entries of these kinds are read by the model too: they tell it what matters in the rest. */
const SHOWN_KINDS: ReadonlySet<StandingKind> = new Set(["task", "request", "rule", "answer", "mode", "plan"]);

/** The plan that hides these entries of the log's view. */
export function planHiding(
  messages: readonly Message[],
  hidden: readonly ViewEntry[],
  { taskId, countTokens, goal, carried, kept, standing, next }: PlanHidingOptions,
): CondensationPlan {
  const totals = totalsBehindStandIns(messages, countTokens);
  // A summary may stay for a call that it carries. Its text is trimmed then, so the model must read it.
  const asked = kept.filter(
    ({ original, logIndex }) =>
      tellsWhatCameBefore(original) || standing.get(logIndex)?.some(({ kind }) => SHOWN_KINDS.has(kind)),
  );
  const toRead = [...goal, ...asked, ...hidden];
  const earlier = findEarlierSummary(toRead);
  const ts = next?.original.ts;
  const condenseId = newFoldId("condense", taskId, messages);
  return {
    type: "condense",
    condenseId,
    trims: trimUnits(kept, { standing, foldId: condenseId, countTokens }),
    hidden: hidden.map((entry) => entry.logIndex),
    total: hidden.map((entry) => totalOf(entry.original, totals, countTokens)).reduce(addTotals, NOTHING_HIDDEN),
    toSummarize: toRead.map((entry) => readable(entry, earlier)),
    carried,
    ...(earlier === undefined ? {} : { earlierSummary: summaryTextOf(earlier.message) }),
    ...(ts === undefined ? {} : { ts: ts - 1 }),
  };
}

/** The newest summary; for a snapshot, its first message and not the acknowledgement. */
function findEarlierSummary(entries: readonly ViewEntry[]): ViewEntry | undefined {
  const newest = entries.findLast(({ original }) => tellsWhatCameBefore(original));
  const id = newest && summaryId(newest.original);
  return id === undefined ? newest : entries.find(({ original }) => summaryId(original) === id);
}

/** A message as the model reads it. The earlier summary is left out of it, as the model is given that text separately. */
function readable({ original, message }: ViewEntry, earlier: ViewEntry | undefined): Message {
  const id = summaryId(original);
  if (id !== undefined) return readableSummary(message, earlier === undefined || id !== summaryId(earlier.original));
  return original === earlier?.original ? readableSummary(message, false) : message;
}
