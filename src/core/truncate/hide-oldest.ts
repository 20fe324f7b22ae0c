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
  /** Only units with one of these standings are hidden. */
  readonly hides: readonly MeasuredUnit["standing"][];
  /** Whether summaries and markers may be hidden without any said message: a summary is worth more than what can be trimmed elsewhere. */
  readonly hidesStandInsAlone: boolean;
}

/** Hides the oldest units behind one marker until the view is at the target, or nothing is left that may be hidden. Returns `folded` itself where no progress was made. */
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
    // Trims are counted block by block, which may differ from the count of whole messages: only without them the sum is exact.
    tokens: chosen.truncation.trims?.length === 0 ? chosen.tokens : measureView(hidden, countTokens).tokens,
    foldIds: [...folded.foldIds, truncationId],
    messagesHidden: folded.messagesHidden + chosen.messagesHidden,
  };
}

const HALVES: TruncationSelection = { type: "fraction", fracToRemove: 0.5 };

/** The approximate size of a marker, to choose units by; the choice is then counted exactly. */
export const MARKER_TOKENS = 40;

/** How many of the remaining units, oldest first, the next round adds to the hidden ones: at least one. */
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
  /** The size of the view with the truncation in place. */
  readonly tokens: number;
  /** Said messages that it hides; markers and summaries are not counted. */
  readonly messagesHidden: number;
  readonly hidesOneMarker: boolean;
}

/** The truncation that hides these units, and trims binding units that stay between them. */
function chooseTruncation(input: TruncationInput, units: readonly MeasuredUnit[]): ChosenTruncation {
  const { messages, view, totals, truncationId, countTokens } = input;
  const hidden = units.flatMap((unit) => unit.entries);
  const lastHidden = hidden.at(-1)?.logIndex ?? 0;
  const firstKept = view.units.flatMap((unit) => unit.entries).find((entry) => entry.logIndex > lastHidden);
  const total = hidden.map((entry) => totalOf(entry.message, totals, countTokens)).reduce(addTotals, NOTHING_HIDDEN);
  const bound = view.units.filter(({ standing }) => standing === "binding").flatMap((unit) => unit.entries);
  const hiddenIndexes = new Set(hidden.map(({ logIndex }) => logIndex));
  const kept = bound.filter(({ logIndex }) => logIndex < lastHidden && !hiddenIndexes.has(logIndex));
  const trims = trimUnits(
    kept.map(({ logIndex, message }) => ({ logIndex, original: message })),
    { standing: findStanding(messages), foldId: truncationId, countTokens },
  );
  const trimmedTokens = trims.reduce((sum, { gainTokens }) => sum + gainTokens, 0);
  const truncation: Truncation = {
    truncationId,
    trims,
    hidden: hiddenIndexes,
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
