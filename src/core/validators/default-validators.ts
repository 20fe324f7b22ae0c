import { assertObject } from "../assert.ts";
import type { CondensationValidator } from "../ports/condensation.ts";
import { type BackTestValidatorOptions, backTestValidator } from "./back-test-validator.ts";
import { type FactSurvivalOptions, factSurvivalValidator } from "./fact-survival.ts";
import { type SummaryQualityOptions, summaryQualityValidator } from "./summary-quality.ts";
import { type TokenValidatorOptions, tokenValidator } from "./token-validator.ts";

export interface DefaultValidatorsOptions {
  readonly tokens?: TokenValidatorOptions;
  readonly summaryQuality?: SummaryQualityOptions;
  readonly factSurvival?: FactSurvivalOptions;
  readonly backTest?: BackTestValidatorOptions;
}

/**
 * Creates the validators that an engine uses by default: tokens for every condenser; quality, fact survival and back-test for condensers with a model.
 * @example
 * ```ts
 * import { createEngine, defaultValidators } from "palimpsest";
 * const validators = defaultValidators({ tokens: { minSavingPercent: 30 } });
 * createEngine({ model: "claude-sonnet-4-5", validators });
 * console.log(validators.map(({ name }) => name).join()); // tokens,summary-quality,fact-survival,back-test
 * ```
 */
export function defaultValidators(options: DefaultValidatorsOptions = {}): readonly CondensationValidator[] {
  assertObject("options", options);
  return [
    tokenValidator(options.tokens),
    summaryQualityValidator(options.summaryQuality),
    factSurvivalValidator(options.factSurvival),
    backTestValidator(options.backTest),
  ];
}
