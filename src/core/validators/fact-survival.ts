import { assert, assertObject } from "../assert.ts";
import type { Message } from "../message/message.ts";
import type { CondensationValidator } from "../ports/condensation.ts";
import { messageTexts } from "../text/message-texts.ts";
import { namedIdentifiers } from "../text/named-identifiers.ts";
import { type CriticalFact, criticalFacts } from "./critical-facts.ts";
import { hiddenMessages } from "./hidden-messages.ts";

export interface FactSurvival {
  /** The weighted share of critical facts that are still visible, from 0 to 1; 1 where there are none. */
  readonly score: number;
  readonly factCount: number;
  /** How many of the facts the summary itself names. */
  readonly namedBySummary: number;
  /** The facts that are no longer visible, heaviest first. */
  readonly missing: readonly CriticalFact[];
}

/** Measures how many of the critical facts in `hidden` are still visible, in `kept` or in `summary`. */
export function factSurvival(hidden: readonly Message[], kept: readonly Message[], summary: string): FactSurvival {
  const facts = criticalFacts(hidden, kept);
  const inSummary = namedIdentifiers(facts, [summary]);
  const inKept = namedIdentifiers(facts, messageTexts(kept));
  const missing = facts.filter(({ value }) => !inSummary.has(value) && !inKept.has(value));
  const total = sumWeights(facts);
  const score = total === 0 ? 1 : 1 - sumWeights(missing) / total;
  return { score, factCount: facts.length, namedBySummary: inSummary.size, missing };
}

export interface FactSurvivalOptions {
  /** The least score that is accepted, from 0 to 1; with 0 every condensation passes. @default 0.1 */
  readonly minScore?: number;
}

// The two real summaries that we have score above 0.9; 27 closing reports of sessions, which tell of the last step only and
// so are the thinnest summaries one could expect, 0.04 to 0.8; 97 % of such reports score below 0.1 against another session.
const DEFAULT_MIN_SCORE = 0.1;

/** With fewer facts, one or two missing ones would decide. */
const MIN_FACTS_TO_JUDGE = 5;
/** A summary that names none of so many missing facts is about something else, even where the kept messages show enough of them. */
const MIN_MISSING_TO_BE_SILENT = 10;
const MAX_NAMED_FACTS = 10;

/**
 * Creates a validator that refuses a condensation after which too few of the critical facts are visible, or whose summary names none of many.
 * Critical facts are names, paths and numbers from instructions, changed files, open errors and the newest replies.
 * @example
 * ```ts
 * import { factSurvivalValidator, type Message } from "palimpsest";
 * const validator = factSurvivalValidator();
 * const before: Message[] = [{ role: "user", content: "Never touch legacy_table. Use src/db/schema.ts, parse_row, row_batch and port 5432." }];
 * const judge = (summary: string) => validator.validate(before, [{ role: "assistant", content: summary }], summary);
 * console.log(judge("We talked about the weather.").isValid); // false
 * console.log(judge("legacy_table stays; parse_row was changed.").isValid); // true
 * ```
 */
export function factSurvivalValidator(options: FactSurvivalOptions = {}): CondensationValidator {
  assertObject("options", options);
  const { minScore = DEFAULT_MIN_SCORE } = options;
  assert(typeof minScore === "number" && minScore >= 0 && minScore <= 1, "minScore", minScore, "from 0 to 1");
  return {
    name: "fact-survival",
    // A ledger without room for enough facts is still better than the truncation that would follow its refusal.
    judges: "models",
    validate(original, condensed, summary) {
      const hidden = hiddenMessages(original, condensed);
      const survival = factSurvival(hidden, condensed, summary);
      const { score, factCount, missing } = survival;
      const isJudged = minScore > 0 && factCount >= MIN_FACTS_TO_JUDGE;
      const isSilent = survival.namedBySummary === 0 && missing.length >= MIN_MISSING_TO_BE_SILENT;
      const issues = missing.length === 0 ? [] : [describeMissing(missing, factCount)];
      return { isValid: !isJudged || (score >= minScore && !isSilent), issues, score };
    },
  };
}

function describeMissing(missing: readonly CriticalFact[], factCount: number): string {
  const names = missing.slice(0, MAX_NAMED_FACTS).map(({ value }) => value);
  const more = missing.length > names.length ? ` and ${missing.length - names.length} more` : "";
  return `${missing.length} of ${factCount} critical facts can no longer be seen: ${names.join(", ")}${more}.`;
}

function sumWeights(facts: readonly CriticalFact[]): number {
  return facts.reduce((sum, { weight }) => sum + weight, 0);
}
