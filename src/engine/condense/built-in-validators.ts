import { HYBRID_PROMPT } from "../../core/condense/hybrid/hybrid-prompt.ts";
import { SNAPSHOT_PROMPT } from "../../core/condense/snapshot/snapshot-prompt.ts";
import { SUMMARY_PROMPT } from "../../core/condense/summary/summary-prompt.ts";
import type { CountTokens } from "../../core/message/message.ts";
import type { CondensationValidator } from "../../core/ports/condensation.ts";
import { defaultValidators } from "../../core/validators/default-validators.ts";
import type { ResolvedConfiguration } from "../configuration/configuration.ts";

/** The validators of an engine besides those that are passed to it. */
export function builtInValidators(
  { validation }: ResolvedConfiguration,
  countTokens: CountTokens,
): readonly CondensationValidator[] {
  const { minSavingPercent, minFactSurvival, minBackTest } = validation.rules;
  return defaultValidators({
    tokens: { minSavingPercent, countTokens },
    summaryQuality: { prompts: [HYBRID_PROMPT, SUMMARY_PROMPT, SNAPSHOT_PROMPT] },
    ...(minFactSurvival === undefined ? {} : { factSurvival: { minScore: minFactSurvival } }),
    backTest: { countTokens, minShare: minBackTest },
  });
}
