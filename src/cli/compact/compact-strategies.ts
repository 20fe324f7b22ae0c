import { compact } from "../../core/condense/ledger/compact.ts";
import type { Message } from "../../core/message/message.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import type { FitResult } from "../../core/truncate/fit-result.ts";
import { foldToFit } from "../../core/truncate/fold-to-fit.ts";
import { truncateToFit } from "../../core/truncate/truncate-to-fit.ts";

/** Ways to bring a log under a budget without a model, the default one first. */
export const STRATEGIES = ["ledger", "ladder", "mask", "truncate"] as const;

export type Strategy = (typeof STRATEGIES)[number];

/** Brings the view of a log under a budget, using as much of it as the strategy can. */
export type Compact = (messages: readonly Message[], budgetTokens: number) => FitResult;

export const COMPACT: Readonly<Record<Strategy, Compact>> = {
  ledger: (messages, budgetTokens) => compact(messages, budgetTokens),
  ladder: (messages, budgetTokens) => foldToFit(messages, exactly(budgetTokens)),
  mask: byMasking,
  truncate: (messages, budgetTokens) => truncateToFit(messages, exactly(budgetTokens)),
};

/** One compaction, after which no more is added: there is no reason to stay below the budget. */
function exactly(budgetTokens: number) {
  return { allowedTokens: budgetTokens, targetTokens: budgetTokens };
}

/** Clears all tool results but the newest; truncates where that is not enough. */
function byMasking(messages: readonly Message[], budgetTokens: number): FitResult {
  const whole = truncateToFit(messages, exactly(budgetTokens));
  if (whole.type === "unchanged") return whole;
  const { messages: masked, foldId } = clearToolResults(messages, { minGainTokens: 0 });
  if (foldId === undefined) return whole;
  const fitted = truncateToFit(masked, exactly(budgetTokens));
  return {
    ...fitted,
    type: fitted.type === "unchanged" ? "folded" : fitted.type,
    foldIds: [foldId, ...fitted.foldIds],
  };
}
