import type { CountTokens } from "../message/message.ts";
import { clipBlocks } from "./clip/clip-blocks.ts";
import type { Folded } from "./fit-result.ts";
import { type MeasuredMessage, type MeasuredView, measureView } from "./measure-view.ts";

export interface ClipToFitOptions {
  readonly allowedTokens: number;
  readonly countTokens: CountTokens;
  readonly taskId?: string;
  /** Which messages are clipped to the budget: those that hiding cannot remove, or all that are visible. */
  readonly scope: "kept" | "view";
}

/** Clips oversized blocks so that the messages in scope take `allowedTokens` together, where that is possible. */
export function clipToFit(folded: Folded, options: ClipToFitOptions): Folded {
  const { countTokens, allowedTokens, taskId = "", scope } = options;
  const view = measureView(folded.messages, countTokens);
  const messageIndexes = entriesInScope(view, scope).map((entry) => entry.logIndex);
  const clipped = clipBlocks(folded.messages, { messageIndexes, budgetTokens: allowedTokens, countTokens, taskId });
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
