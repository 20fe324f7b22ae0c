import { renderView } from "../../core/evals/view/render-view.ts";
import { type Fold, listFolds } from "../../core/history/list-folds.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { COMPACT, type Strategy } from "./compact-strategies.ts";

/** A log brought under a budget: plain data, safe to write as JSON. */
export interface CompactedView {
  readonly budgetTokens: number;
  /** Of the messages of the view. */
  readonly tokens: number;
  /** Every fold of the log. */
  readonly folds: readonly Fold[];
  /** The view: what is sent. */
  readonly messages: readonly Message[];
  /** The view as one text. Within the budget too, although its headings and the messages' wrapping differ. */
  readonly text: string;
}

export type CompactOutcome =
  | { readonly type: "fits"; readonly view: CompactedView }
  /** `enoughTokens` is a budget that is known to do. */
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
  // What a smaller budget led to may not be reached again when it is the budget: then a little more is.
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
  /** Tokens of the messages or of the text, whichever are more. */
  readonly size: number;
  /** Whether asking for less may lead to less. */
  readonly canShrink: boolean;
}

const MAX_TRIES = 8;
/** A view that uses this much of the budget is not worth another try. */
const FULL_SHARE = 0.95;

/**
 * The largest view within the budget that a few tries find, asking for less where the text came out too large; one over
 * the budget where none is within.
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
    // The share of the text that is headings stays about the same; what is taken off besides makes sure of progress.
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
