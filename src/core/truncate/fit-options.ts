import { PalimpsestError } from "../errors.ts";
import type { CountTokens } from "../message/message.ts";
import type { TruncationSelection } from "./hide-oldest.ts";

/** How a log is to be fitted into a budget. */
export interface FitOptions {
  /** The view must not be larger than this: the room for messages alone, without system prompt and tools. */
  readonly allowedTokens: number;
  /**
   * How far to go once something must be hidden. Each fold breaks the provider's cached prefix, so one large fold is cheaper
   * than many small ones.
   * @default allowedTokens for truncateToFit, 0.7 × allowedTokens for foldToFit
   */
  readonly targetTokens?: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Which of the oldest messages truncation hides. @default { type: "fraction", fracToRemove: 0.5 } */
  readonly selection?: TruncationSelection;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
}

/** Throws unless every number is one that can be worked with. */
export function checkFitOptions({ allowedTokens, targetTokens = 0, selection }: FitOptions): void {
  demand("allowedTokens", allowedTokens, Number.isFinite(allowedTokens), "a finite number of tokens");
  demand("targetTokens", targetTokens, Number.isFinite(targetTokens), "a finite number of tokens");
  switch (selection?.type) {
    case "fraction": {
      const { fracToRemove = 0 } = selection;
      demand("selection.fracToRemove", fracToRemove, fracToRemove >= 0 && fracToRemove <= 1, "between 0 and 1");
      break;
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
