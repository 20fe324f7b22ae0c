import { demandObject } from "../../demand.ts";
import type { CondensationValidator } from "../../ports/condensation.ts";
import { type FactSurvivalOptions, factSurvivalValidator } from "./fact-survival.ts";
import { type SummaryQualityOptions, summaryQualityValidator } from "./summary-quality.ts";
import { type TokenValidatorOptions, tokenValidator } from "./token-validator.ts";

export interface DefaultValidatorsOptions {
  readonly tokens?: TokenValidatorOptions;
  readonly summaryQuality?: SummaryQualityOptions;
  readonly factSurvival?: FactSurvivalOptions;
}

/** The gates that every condensation passes unless others are chosen: tokens, summary quality, fact survival. */
export function defaultValidators(options: DefaultValidatorsOptions = {}): readonly CondensationValidator[] {
  demandObject("options", options);
  return [
    tokenValidator(options.tokens),
    summaryQualityValidator(options.summaryQuality),
    factSurvivalValidator(options.factSurvival),
  ];
}
