import { newFoldId } from "../message/fold-id.ts";
import type { CountTokens, Message } from "../message/message.ts";
import type { Unit } from "../message/units.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";
import { applyTruncation, type Truncation, truncationMarker } from "./apply-truncation.ts";
import type { Folded } from "./fit-result.ts";
import { type MeasuredMessage, type MeasuredView, measureView, sumTokens } from "./measure-view.ts";

/** Which of the units that may be hidden go first. */
export type TruncationSelection =
  /** The oldest share; again until the view fits. @default fracToRemove 0.5 */
  | { readonly type: "fraction"; readonly fracToRemove?: number }
  /** All but the newest messages; then halves, if that is not enough. @default count 20 */
  | { readonly type: "keepLast"; readonly count?: number };

export interface HideOptions {
  readonly targetTokens: number;
  readonly countTokens: CountTokens;
  readonly selection: TruncationSelection | undefined;
  readonly taskId: string;
  readonly hideImportant: boolean;
}

/** Hides the oldest units behind one marker until the view is at the target, or nothing is left that may be hidden. */
export function hideOldest(folded: Folded, options: HideOptions): Folded {
  const { messages } = folded;
  const { countTokens, taskId, targetTokens } = options;
  const view = measureView(messages, countTokens);
  if (view.tokens <= targetTokens) return folded;

  const candidates = hideableUnits(view, options.hideImportant);
  const truncationId = newFoldId("truncate", taskId, messages);
  for (let count = 0; count < candidates.length; ) {
    count += nextShare(candidates.slice(count), view, count === 0 ? options.selection : undefined);
    const truncation = planTruncation(view, candidates.slice(0, count), truncationId);
    const tokens = tokensAfter(messages, view, truncation, countTokens);
    const isLastRound = count >= candidates.length;
    if (tokens > targetTokens && !isLastRound) continue;
    // A marker larger than what it hides would be no progress at all.
    if (tokens >= view.tokens) return folded;
    return {
      messages: applyTruncation(messages, truncation),
      tokens,
      foldIds: [...folded.foldIds, truncationId],
      messagesHidden: folded.messagesHidden + truncation.hidden.size,
    };
  }
  return folded;
}

function hideableUnits(view: MeasuredView, hideImportant: boolean): readonly Unit[] {
  return view.units
    .slice(1, -1)
    .filter((unit) => hideImportant || !entriesOf(view, unit).some((entry) => entry.message.important === true));
}

/** How many of the remaining units, oldest first, the next round hides: at least one. */
function nextShare(
  remaining: readonly Unit[],
  view: MeasuredView,
  selection: TruncationSelection = { type: "fraction" },
): number {
  switch (selection.type) {
    case "fraction":
      return Math.max(1, Math.ceil(remaining.length * (selection.fracToRemove ?? 0.5)));
    case "keepLast": {
      const firstKept = view.entries.length - (selection.count ?? 20);
      return Math.max(1, remaining.filter((unit) => unit.end <= firstKept).length);
    }
  }
}

function planTruncation(view: MeasuredView, units: readonly Unit[], truncationId: string): Truncation {
  const hidden = units.flatMap((unit) => entriesOf(view, unit));
  const firstKept = view.entries[units.at(-1)?.end ?? 0]?.logIndex ?? 0;
  return {
    truncationId,
    hidden: new Set(hidden.map((entry) => entry.logIndex)),
    firstKept,
    hiddenTokens: sumTokens(hidden),
  };
}

function tokensAfter(
  messages: readonly Message[],
  view: MeasuredView,
  truncation: Truncation,
  countTokens: CountTokens,
): number {
  const marker = countMessageTokens(truncationMarker(messages, truncation), countTokens);
  return view.tokens - (truncation.hiddenTokens ?? 0) + marker;
}

function entriesOf(view: MeasuredView, unit: Unit): readonly MeasuredMessage[] {
  return view.entries.slice(unit.start, unit.end);
}
