import type { CountTokens } from "../message/message.ts";
import { clipBlocks } from "./clip/clip-blocks.ts";
import type { Folded } from "./fit-result.ts";
import { type MeasuredMessage, type MeasuredView, measureView, sumTokens } from "./measure-view.ts";

export interface ClipToFitOptions {
  /** Which messages are clipped to the budget: those that hiding cannot remove, or all that are visible. */
  readonly scope: "kept" | "view";
  /** What the messages in scope may take together. */
  readonly budgetTokens: number;
  readonly countTokens: CountTokens;
  readonly taskId: string;
}

/** Clips oversized blocks so that the messages in scope take no more than the budget, where that is possible. */
export function clipToFit(folded: Folded, { scope, budgetTokens, countTokens, taskId }: ClipToFitOptions): Folded {
  const inScope = entriesInScope(measureView(folded.messages, countTokens), scope);
  // A marker has nothing to spare: it names its fold, and that must stay readable.
  const markers = inScope.filter((entry) => entry.message.isTruncationMarker === true);
  const clipped = clipBlocks(folded.messages, {
    messageIndexes: inScope.filter((entry) => entry.message.isTruncationMarker !== true).map((entry) => entry.logIndex),
    budgetTokens: budgetTokens - sumTokens(markers),
    countTokens,
    taskId,
  });
  if (clipped.foldId === undefined) return folded;
  return {
    ...folded,
    messages: clipped.messages,
    tokens: measureView(clipped.messages, countTokens).tokens,
    foldIds: [...folded.foldIds, clipped.foldId],
  };
}

function entriesInScope(
  { entries, units }: MeasuredView,
  scope: ClipToFitOptions["scope"],
): readonly MeasuredMessage[] {
  switch (scope) {
    case "view":
      return entries;
    case "kept": {
      const hideable = { start: units[0]?.end ?? 0, end: units.at(-1)?.start ?? 0 };
      return entries.filter((_, index) => index < hideable.start || index >= hideable.end);
    }
  }
}
