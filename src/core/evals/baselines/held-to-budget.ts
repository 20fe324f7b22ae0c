import type { EvalStrategy } from "../eval-types.ts";
import { countViewTokens } from "../view/render-view.ts";

const MAX_TRIES = 4;

/** Asks for as much less as a view came out too large: tokens counted line by line do not add up to those of the text. */
export function heldToBudget({ name, compact }: EvalStrategy): EvalStrategy {
  return {
    name,
    compact(messages, budgetTokens) {
      let asked = budgetTokens;
      let view = compact(messages, asked);
      for (let tries = 1; tries < MAX_TRIES; tries++) {
        const excess = countViewTokens(view) - budgetTokens;
        if (excess <= 0) return view;
        asked = Math.max(0, asked - excess);
        view = compact(messages, asked);
      }
      return view;
    },
  };
}
