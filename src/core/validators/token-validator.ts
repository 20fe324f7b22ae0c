import { assert, assertObject } from "../assert.ts";
import type { CountTokens, Message } from "../message/message.ts";
import type { CondensationValidator } from "../ports/condensation.ts";
import { findStanding, isStanding } from "../standing/find-standing.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";

export interface TokenValidatorOptions {
  /** How much smaller the view must become, in percent of the part that may be hidden; even with 0 it must shrink. @default 20 */
  readonly minSavingPercent?: number;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
}

const DEFAULT_MIN_SAVING_PERCENT = 20;

/**
 * Creates a validator that refuses a condensation that saves too few tokens. The score of its verdict is the share that is saved.
 * @example
 * ```ts
 * import { tokenValidator } from "palimpsest";
 * const before = [{ role: "user", content: "many words ".repeat(100) }] as const;
 * const verdict = tokenValidator({ minSavingPercent: 20 }).validate(before, [{ role: "user", content: "few words" }], "few words");
 * console.log(verdict.isValid); // true
 * ```
 */
export function tokenValidator(options: TokenValidatorOptions = {}): CondensationValidator {
  assertObject("options", options);
  const { minSavingPercent = DEFAULT_MIN_SAVING_PERCENT } = options;
  const isPercent = typeof minSavingPercent === "number" && minSavingPercent >= 0 && minSavingPercent <= 100;
  assert(isPercent, "minSavingPercent", minSavingPercent, "from 0 to 100");
  const countTokens = checkedCounter(options.countTokens);
  return {
    name: "tokens",
    validate(original, condensed) {
      const before = countMessagesTokens(original, countTokens);
      const after = countMessagesTokens(condensed, countTokens);
      if (after >= before)
        return { isValid: false, issues: [`The view does not shrink: ${before} → ${after} tokens.`], score: 0 };
      const foldable = before - standingTokens(original, condensed, countTokens);
      const saved = Math.min(1, (before - after) / Math.max(1, foldable));
      if (100 * saved >= minSavingPercent) return { isValid: true, issues: [], score: saved };
      const percent = (100 * saved).toFixed(1);
      const issue = `It saves ${percent} % of ${foldable} tokens; at least ${minSavingPercent} % are demanded.`;
      return { isValid: false, issues: [issue], score: saved };
    },
  };
}

/** The tokens of standing context that stayed in the view: no condensation can save them. */
function standingTokens(original: readonly Message[], condensed: readonly Message[], countTokens: CountTokens): number {
  const standing = findStanding(original);
  const left = new Set(condensed);
  return countMessagesTokens(
    original.filter((message, index) => isStanding(standing, index) && left.has(message)),
    countTokens,
  );
}
