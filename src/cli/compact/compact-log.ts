import { compact } from "../../core/condense/ledger/compact.ts";
import { renderView } from "../../core/evals/view/render-view.ts";
import { type Fold, listFolds } from "../../core/history/list-folds.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import type { FitResult } from "../../core/truncate/fit-options.ts";
import { foldToFit } from "../../core/truncate/fold-to-fit.ts";
import { truncateToFit } from "../../core/truncate/truncate-to-fit.ts";

/** The view of a log that was brought under a budget: plain data, safe to write as JSON. */
export interface CompactedView {
  readonly budgetTokens: number;
  /** The tokens of the view's messages. */
  readonly tokens: number;
  /** Every fold of the log. */
  readonly folds: readonly Fold[];
  /** The view: what is sent. */
  readonly messages: readonly Message[];
  /** The view as one text, which is within the budget too. Its headings take other tokens than the messages' wrapping. */
  readonly text: string;
}

export type CompactOutcome =
  | { readonly type: "fits"; readonly view: CompactedView }
  /** `enoughTokens` is a budget that is known to be large enough. */
  | { readonly type: "cannot-fit"; readonly enoughTokens: number };

export interface CompactLogOptions {
  readonly budgetTokens: number;
  readonly strategy: Strategy;
}

/** Compacts a log so that neither its view's messages nor its view's text are over the budget. */
export function compactLog(messages: readonly Message[], options: CompactLogOptions): CompactOutcome {
  const attempt = compactWithin(messages, options);
  if (attempt.size <= options.budgetTokens) return { type: "fits", view: attempt.view };
  let enough = attempt;
  // Compacting for the size that was reached may miss it, as the outcome depends on the budget: then a larger budget is tried.
  for (let budgetTokens = enough.size; enough.size > enough.view.budgetTokens; budgetTokens = moreThan(budgetTokens)) {
    enough = compactWithin(messages, { ...options, budgetTokens });
  }
  return { type: "cannot-fit", enoughTokens: enough.view.budgetTokens };
}

function moreThan(budgetTokens: number): number {
  return Math.ceil(budgetTokens * 1.1) + 1;
}

interface Attempt {
  readonly view: CompactedView;
  /** The tokens of the messages or of the text, whichever are more. */
  readonly size: number;
  /** Whether a smaller budget may lead to a smaller view. */
  readonly canShrink: boolean;
}

const MAX_TRIES = 8;
/** A view that uses this much of the budget is not worth another try. */
const FULL_SHARE = 0.95;

/**
 * The largest view within the budget that a few tries find. If the text comes out too large, a smaller budget is asked for. Returns a view over the
 * budget if none within it is found.
 */
function compactWithin(messages: readonly Message[], options: CompactLogOptions): Attempt {
  const { budgetTokens } = options;
  let best: Attempt | undefined;
  let attempt = compactOnce(messages, budgetTokens, options);
  let [fits, fails, asked] = [0, budgetTokens, budgetTokens];
  for (let tries = 1; tries < MAX_TRIES; tries++) {
    const isWithin = attempt.size <= budgetTokens;
    if (isWithin && (asked === budgetTokens || attempt.size >= FULL_SHARE * budgetTokens)) return attempt;
    if (isWithin) {
      [best, fits] = [attempt, asked];
    } else {
      if (best === undefined && !attempt.canShrink) return attempt;
      fails = asked;
    }
    // Headings take about the same share of the text each time. Subtracting the number of tries ensures progress.
    const scaled = Math.floor(Math.min(asked, attempt.view.tokens) * (budgetTokens / attempt.size)) - tries;
    asked = best === undefined ? scaled : Math.floor((fits + fails) / 2);
    if (best !== undefined && asked <= fits) return best;
    attempt = compactOnce(messages, asked, options);
  }
  return attempt.size <= budgetTokens ? attempt : (best ?? attempt);
}

function compactOnce(messages: readonly Message[], asked: number, options: CompactLogOptions): Attempt {
  const { budgetTokens, strategy } = options;
  const { type, messages: folded, tokens } = COMPACT[strategy](messages, asked);
  const view = effectiveView(folded);
  const text = renderView(view);
  return {
    view: { budgetTokens, tokens, folds: listFolds(folded), messages: view, text },
    size: Math.max(tokens, countTextTokens(text)),
    canShrink: type !== "cannot-fit",
  };
}

/** Ways to bring a log under a budget without a model, the default one first. */
export const STRATEGIES = ["ledger", "ladder", "mask", "truncate"] as const;

type Strategy = (typeof STRATEGIES)[number];

/** Brings the view of a log under a budget, using as much of it as the strategy can. */
type Compact = (messages: readonly Message[], budgetTokens: number) => FitResult;

export const COMPACT: Readonly<Record<Strategy, Compact>> = {
  ledger: (messages, budgetTokens) => compact(messages, budgetTokens),
  ladder: (messages, budgetTokens) => foldToFit(messages, exactly(budgetTokens)),
  mask: byMasking,
  truncate: (messages, budgetTokens) => truncateToFit(messages, exactly(budgetTokens)),
};

/** The limits for a single compaction. No messages follow, so that the target is the budget itself. */
function exactly(budgetTokens: number) {
  return { allowedTokens: budgetTokens, targetTokens: budgetTokens };
}

/** Clears all tool results but the newest, and truncates if that is not enough. */
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
