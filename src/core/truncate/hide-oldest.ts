import { isStandIn } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { findStanding } from "../standing/find-standing.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";
import { applyTruncation, type Truncation, truncationMarker } from "./apply-truncation.ts";
import type { Folded, TruncationSelection } from "./fit-options.ts";
import { addTotals, type HiddenTotal, NOTHING_HIDDEN, totalOf, totalsBehindStandIns } from "./hidden-totals.ts";
import { type MeasuredUnit, type MeasuredView, measureView, sumTokens } from "./measure-view.ts";
import { trimUnits } from "./trim-units.ts";

export interface HideOptions {
  readonly targetTokens: number;
  readonly countTokens: CountTokens;
  readonly selection: TruncationSelection;
  readonly taskId: string;
  /** What may be hidden: by default neither what a person marked important nor what binds the agent. */
  readonly hides: readonly MeasuredUnit["standing"][];
  /** Whether summaries and markers may be hidden where no message goes with them: a summary is worth more than what can be trimmed elsewhere. */
  readonly hidesStandInsAlone: boolean;
}

/** Hides the oldest units behind one marker until the view is at the target, or nothing is left that may be hidden. */
export function hideOldest(folded: Folded, options: HideOptions): Folded {
  const { messages } = folded;
  const { countTokens, targetTokens } = options;
  const view = measureView(messages, countTokens);
  if (view.tokens <= targetTokens) return folded;

  const candidates = view.units.slice(1).filter(({ standing }) => options.hides.includes(standing));
  const totals = totalsBehindStandIns(messages, countTokens);
  const truncationId = newFoldId("truncate", options.taskId, messages);
  let chosen: ChosenTruncation | undefined;
  for (let count = 0; count < candidates.length && (chosen?.tokens ?? view.tokens) > targetTokens; ) {
    count += nextShare(candidates.slice(count), view, count === 0 ? options : { ...options, selection: HALVES });
    chosen = chooseTruncation({ messages, view, totals, truncationId, countTokens }, candidates.slice(0, count));
  }
  // A marker that only hides another marker, or is larger than what it hides, would be no progress at all.
  if (chosen === undefined || chosen.hidesOneMarker || chosen.tokens >= view.tokens) return folded;
  if (chosen.messagesHidden === 0 && !options.hidesStandInsAlone) return folded;
  const hidden = applyTruncation(messages, chosen.truncation);
  return {
    messages: hidden,
    // Blocks are counted one by one when they are trimmed; the view is counted by messages.
    tokens: chosen.truncation.trims?.length === 0 ? chosen.tokens : measureView(hidden, countTokens).tokens,
    foldIds: [...folded.foldIds, truncationId],
    messagesHidden: folded.messagesHidden + chosen.messagesHidden,
  };
}

const HALVES: TruncationSelection = { type: "fraction", fracToRemove: 0.5 };

/** A marker's size, near enough to choose by; what is chosen is then counted exactly. */
export const MARKER_TOKENS = 40;

/** How many of the remaining units, oldest first, the next round hides: at least one. */
function nextShare(
  remaining: readonly MeasuredUnit[],
  view: MeasuredView,
  { selection, targetTokens }: HideOptions,
): number {
  switch (selection.type) {
    case "oldest": {
      let tokens = view.tokens + MARKER_TOKENS;
      const enough = remaining.findIndex((unit) => {
        tokens -= unit.tokens;
        return tokens <= targetTokens;
      });
      return enough < 0 ? remaining.length : enough + 1;
    }
    case "fraction":
      return Math.max(1, Math.ceil(remaining.length * (selection.fracToRemove ?? 0.5)));
    case "keepLast": {
      const newest = new Set(view.units.flatMap((unit) => unit.entries).slice(-(selection.count ?? 20) || Infinity));
      return Math.max(1, remaining.filter((unit) => !unit.entries.some((entry) => newest.has(entry))).length);
    }
  }
}

interface TruncationInput {
  readonly messages: readonly Message[];
  readonly view: MeasuredView;
  readonly totals: ReadonlyMap<string, HiddenTotal>;
  readonly truncationId: string;
  readonly countTokens: CountTokens;
}

interface ChosenTruncation {
  readonly truncation: Truncation;
  /** The view's size with it. */
  readonly tokens: number;
  /** Messages hidden by it that were said, markers and summaries not included. */
  readonly messagesHidden: number;
  readonly hidesOneMarker: boolean;
}

function chooseTruncation(input: TruncationInput, units: readonly MeasuredUnit[]): ChosenTruncation {
  const { messages, view, totals, truncationId, countTokens } = input;
  const hidden = units.flatMap((unit) => unit.entries);
  const lastHidden = hidden.at(-1)?.logIndex ?? 0;
  const firstKept = view.units.flatMap((unit) => unit.entries).find((entry) => entry.logIndex > lastHidden);
  const total = hidden.map((entry) => totalOf(entry.message, totals, countTokens)).reduce(addTotals, NOTHING_HIDDEN);
  const bound = view.units.filter(({ standing }) => standing === "binding").flatMap((unit) => unit.entries);
  const gone = new Set(hidden.map(({ logIndex }) => logIndex));
  const kept = bound.filter(({ logIndex }) => logIndex < lastHidden && !gone.has(logIndex));
  const trims = trimUnits(
    kept.map(({ logIndex, message }) => ({ logIndex, original: message })),
    { standing: findStanding(messages), foldId: truncationId, countTokens },
  );
  const trimmedTokens = trims.reduce((sum, { gainTokens }) => sum + gainTokens, 0);
  const truncation: Truncation = {
    truncationId,
    trims,
    hidden: gone,
    firstKept: firstKept?.logIndex ?? messages.length,
    total,
  };
  const markerTokens = countMessageTokens(truncationMarker(messages, truncation), countTokens);
  return {
    truncation,
    tokens: view.tokens - sumTokens(hidden) - trimmedTokens + markerTokens,
    messagesHidden: hidden.filter((entry) => !isStandIn(entry.message)).length,
    hidesOneMarker: hidden.length === 1 && hidden[0]?.message.isTruncationMarker === true,
  };
}
