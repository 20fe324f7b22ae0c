/** How conversations of a model family are condensed unless the user configures it. */
export interface CondenseDefaults {
  /** Condense once the prompt fills this share of the window. */
  readonly thresholdPercent: number;
  readonly condenseWith: CondenseWith;
  /** By how much the condensed part should shrink. */
  readonly targetReductionPercent: number;
  /** How many of the newest messages stay as they are. */
  readonly keepMessages: number;
}

/** The model that writes the summary: the conversation's own (`itself`) or another one. */
export type CondenseWith = { readonly type: "itself" } | { readonly type: "model"; readonly modelId: string };

const ITSELF: CondenseWith = { type: "itself" };

/**
 * The defaults by family; entries without their own use `other`.
 * @example
 * ```ts
 * import { CONDENSE_DEFAULTS, condenseDefaults } from "palimpsest/core";
 * console.log(condenseDefaults("claude-opus-4-5").thresholdPercent === CONDENSE_DEFAULTS.opus.thresholdPercent); // true
 * ```
 */
export const CONDENSE_DEFAULTS = {
  opus: { thresholdPercent: 80, condenseWith: ITSELF, targetReductionPercent: 70, keepMessages: 5 },
  sonnet: {
    thresholdPercent: 75,
    condenseWith: { type: "model", modelId: "claude-haiku-5-5" },
    targetReductionPercent: 75,
    keepMessages: 3,
  },
  haiku: { thresholdPercent: 60, condenseWith: ITSELF, targetReductionPercent: 80, keepMessages: 3 },
  // the small model of the same family has the same window, so every conversation of the large one fits
  gpt4Turbo: {
    thresholdPercent: 70,
    condenseWith: { type: "model", modelId: "gpt-4o-mini" },
    targetReductionPercent: 75,
    keepMessages: 3,
  },
  gpt35: { thresholdPercent: 50, condenseWith: ITSELF, targetReductionPercent: 75, keepMessages: 3 },
  other: { thresholdPercent: 75, condenseWith: ITSELF, targetReductionPercent: 75, keepMessages: 3 },
} as const satisfies Record<string, CondenseDefaults>;
