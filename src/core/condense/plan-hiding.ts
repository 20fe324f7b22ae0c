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

/** Fewer are not worth a request. */
const LEAST_MESSAGES = 2;

/** A part of the view, by what becomes of it. */
export interface HideableEntries {
  readonly hidden: readonly ViewEntry[];
  /** Of units that stay because something in them binds: what else is in them may be trimmed. */
  readonly standing: readonly ViewEntry[];
}

const NOTHING: HideableEntries = { hidden: [], standing: [] };

interface HideableRange {
  readonly start: number;
  readonly end: number;
  readonly standing: Standing;
  /** Fewer are not hidden. @default 2 */
  readonly leastMessages?: number | undefined;
  /** Counts what was decided, so that the newest of it stays too. @default none of it stays */
  readonly decisions?: CountTokens | undefined;
}

/**
 * What may be hidden of the view's entries from `start` to `end`: all but the units that hold a message which a person
 * marked important, something that binds the agent, or a decision. Nothing where it would not be worth a request.
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
    // Of a unit that lies across the end, the stand-in carries what its rest needs: then it must not be shown as well.
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

/** What stays for a decision may take so much of what could be hidden: a condensation is there to save. */
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

/** Where something stays in front of a stand-in of the user's, the first message stays too: a user must speak first. */
export function hideableBefore(
  view: readonly ViewEntry[],
  split: number,
  options: Pick<HideableRange, "standing" | "leastMessages" | "decisions">,
): HideableEntries {
  const all = hideable(view, { start: 0, end: split, ...options });
  const hidden = new Set(all.hidden);
  const first = view.find((entry, index) => index < split && !hidden.has(entry));
  if (all.hidden.length === 0 || first === undefined || first.message.role === "user") return all;
  const firstUnitEnd = detectUnits(view.map((entry) => entry.message))[0]?.end ?? 0;
  return hideable(view, { start: firstUnitEnd, end: split, ...options });
}

export interface PlanHidingOptions {
  readonly taskId: string;
  readonly countTokens: CountTokens;
  /** Stays visible, and is shown to the model before what will be hidden; so are what the person asked and planned. */
  readonly goal: readonly ViewEntry[];
  readonly carried: readonly Block[];
  /** What is trimmed with it: see `hideable`. */
  readonly kept: readonly ViewEntry[];
  readonly standing: Standing;
  /** What the view shows right after the last hidden entry. */
  readonly next: ViewEntry | undefined;
}

/** What a model must know to tell what of the rest matters. */
const SHOWN_KINDS: ReadonlySet<StandingKind> = new Set(["task", "request", "rule", "mode", "plan"]);

/** The plan that hides these entries of the log's view. */
export function planHiding(
  messages: readonly Message[],
  hidden: readonly ViewEntry[],
  { taskId, countTokens, goal, carried, kept, standing, next }: PlanHidingOptions,
): CondensationPlan {
  const totals = totalsBehindStandIns(messages, countTokens);
  // A summary may stay for a call that it carries; what it tells is trimmed then, and must be told again.
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

/** The newest summary; of a snapshot, the message before the assistant's word on it. */
function findEarlierSummary(entries: readonly ViewEntry[]): ViewEntry | undefined {
  const newest = entries.findLast(({ original }) => tellsWhatCameBefore(original));
  const id = newest && summaryId(newest.original);
  return id === undefined ? newest : entries.find(({ original }) => summaryId(original) === id);
}

/** A message as the model reads it: the earlier summary is handed to it apart from the conversation. */
function readable({ original, message }: ViewEntry, earlier: ViewEntry | undefined): Message {
  const id = summaryId(original);
  if (id !== undefined) return readableSummary(message, earlier === undefined || id !== summaryId(earlier.original));
  return original === earlier?.original ? readableSummary(message, false) : message;
}
