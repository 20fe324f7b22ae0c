import { assert, assertNumber, assertObject } from "../assert.ts";
import { hybridSummaryOf, ledgerBeside } from "../condense/hybrid/hybrid-text.ts";
import { writeLedger } from "../condense/ledger/write-ledger.ts";
import { scoreText, usedAgain } from "../evals/back-test.ts";
import type { CountTokens } from "../message/message.ts";
import type { CondensationValidator } from "../ports/condensation.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";
import { hiddenMessages } from "./hidden-messages.ts";

export interface BackTestValidatorOptions {
  /**
   * The least share of a ledger's score that a model's summary must reach: with 1 it must be as good as the ledger, with 0 every summary
   * passes. @default 0.5
   */
  readonly minShare?: number | undefined;
  /** How many of the newest model calls are tested. @default 20 */
  readonly calls?: number | undefined;
  /** @default countContentTokens */
  readonly countTokens?: CountTokens | undefined;
}

/** The score counts names only: a summary with half of the ledger's names may still be the better text. */
const DEFAULT_MIN_SHARE = 0.5;
const DEFAULT_CALLS = 20;
/** With fewer needed names, one or two missing ones would decide. */
const MIN_NEEDED_TO_JUDGE = 5;
const MAX_NAMED = 10;

/**
 * Creates a validator that refuses a model's summary that names much less of what the agent's newest turns used than a ledger of the same size. The
 * turns are in the log, so no model has to judge.
 * @example
 * ```ts
 * import { backTestValidator, createEngine } from "palimpsest";
 * const validator = backTestValidator({ minShare: 0.9, calls: 5 });
 * createEngine({ model: "claude-sonnet-4-5", validators: [validator] });
 * console.log(validator.name, validator.judges); // back-test models
 * ```
 */
export function backTestValidator(options: BackTestValidatorOptions = {}): CondensationValidator {
  assertObject("options", options);
  const { minShare = DEFAULT_MIN_SHARE, calls = DEFAULT_CALLS } = options;
  assert(typeof minShare === "number" && minShare >= 0 && minShare <= 1, "minShare", minShare, "from 0 to 1");
  assertNumber("calls", calls, 1);
  const countTokens = checkedCounter(options.countTokens);
  return {
    name: "back-test",
    judges: "models",
    validate(original, condensed, summary) {
      const needed = usedAgain(original, calls);
      // A hybrid stand-in has the quotes of a ledger beside its summary.
      const beside = condensed.find((message) => hybridSummaryOf(message) === summary);
      const text = beside === undefined ? summary : `${summary}\n${ledgerBeside(beside)}`;
      const { score, missing } = scoreText(text, needed);
      const issues = missing.length === 0 ? [] : [describeMissing(missing, needed.length)];
      if (minShare === 0 || score === 1 || needed.length < MIN_NEEDED_TO_JUDGE) return { isValid: true, issues, score };
      const hidden = hiddenMessages(original, condensed);
      const ledger = writeLedger(hidden, { budgetTokens: countTokens(text), countTokens });
      const ledgerScore = scoreText(ledger.text, needed).score;
      if (score >= minShare * ledgerScore) return { isValid: true, issues, score };
      return { isValid: false, issues: [comparison(score, ledgerScore), ...issues], score };
    },
  };
}

function comparison(score: number, ledgerScore: number): string {
  const [summaryPercent, ledgerPercent] = [score, ledgerScore].map((share) => Math.round(100 * share));
  return `It names ${summaryPercent} % of what the newest turns used; a ledger of its size names ${ledgerPercent} %.`;
}

function describeMissing(missing: readonly string[], neededCount: number): string {
  const named = missing.slice(0, MAX_NAMED).join(", ");
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : "";
  return `${missing.length} of ${neededCount} identifiers that the newest turns used are not in it: ${named}${more}.`;
}
