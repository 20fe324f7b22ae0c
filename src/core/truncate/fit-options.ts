import { PalimpsestError } from "../errors.ts";
import type { CountTokens } from "../message/message.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";

/** How a log is to be fitted into a budget. */
export interface FitOptions {
  /** The view must not be larger than this: the room for messages alone, without system prompt and tools. */
  readonly allowedTokens: number;
  /**
   * How far to go once something must be hidden. Each fold breaks the provider's cached prefix, so one large fold is cheaper
   * than many small ones.
   * @default 0.7 × allowedTokens
   */
  readonly targetTokens?: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Which messages truncation hides. @default { type: "oldest" } */
  readonly selection?: TruncationSelection;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
}

/** Which of the messages that may be hidden go; always whole units, and again by halves where that is not enough. */
export type TruncationSelection =
  /** The fewest of the oldest that reach the target. */
  | { readonly type: "oldest" }
  /** The oldest share of them. @default fracToRemove 0.5 */
  | { readonly type: "fraction"; readonly fracToRemove?: number }
  /** All but the newest messages of the view. @default count 20 */
  | { readonly type: "keepLast"; readonly count?: number };

const TARGET_SHARE = 0.7;

/** The options with their defaults filled in; throws where a number cannot be worked with. */
export function resolveFitOptions(options: FitOptions): Required<FitOptions> {
  const { allowedTokens, selection = { type: "oldest" }, taskId = "" } = options;
  const { targetTokens = TARGET_SHARE * allowedTokens } = options;
  demand("allowedTokens", allowedTokens, Number.isFinite(allowedTokens), "a finite number of tokens");
  demand("targetTokens", targetTokens, Number.isFinite(targetTokens), "a finite number of tokens");
  checkSelection(selection);
  return {
    allowedTokens,
    targetTokens: Math.min(targetTokens, allowedTokens),
    countTokens: checkedCounter(options.countTokens),
    selection,
    taskId,
  };
}

function checkSelection(selection: TruncationSelection): void {
  switch (selection.type) {
    case "oldest":
      return;
    case "fraction": {
      const { fracToRemove = 0 } = selection;
      demand("selection.fracToRemove", fracToRemove, fracToRemove >= 0 && fracToRemove <= 1, "between 0 and 1");
      return;
    }
    case "keepLast": {
      const { count = 0 } = selection;
      demand("selection.count", count, count >= 0, "at least 0");
    }
  }
}

function demand(name: string, value: number, isAllowed: boolean, allowed: string): void {
  if (!isAllowed) throw new PalimpsestError("invalid-argument", `${name} is ${value}; it must be ${allowed}.`);
}
