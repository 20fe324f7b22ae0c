import { assertNumber, assertObject } from "../assert.ts";
import { allowedTokens, type Reserve } from "../tokens/budget.ts";
import { effectiveThreshold, type ThresholdSettings } from "./condense-threshold.ts";

/**
 * A smaller window has no room for a model's summary and what it was made from: it truncates instead.
 * @example
 * ```ts
 * import { decideManagement, MIN_CONDENSE_WINDOW } from "palimpsest/core";
 * const settings = { autoCondenseContext: true, autoCondenseContextPercent: 75, profileThresholds: {}, currentProfileId: "default" };
 * const inWindow = (contextWindow: number) => decideManagement({ ...settings, totalTokens: contextWindow, lastMessageTokens: 0, contextWindow });
 * console.log(inWindow(MIN_CONDENSE_WINDOW).mayCondense, inWindow(MIN_CONDENSE_WINDOW - 1).mayCondense); // true false
 * ```
 */
export const MIN_CONDENSE_WINDOW = 8_000;

export interface ManagementNumbers extends ThresholdSettings {
  /** Tokens of the conversation so far, the last message not included. */
  readonly totalTokens: number;
  readonly lastMessageTokens: number;
  readonly contextWindow: number;
  /** The reply's allowance. @default DEFAULT_RESERVED_TOKENS */
  readonly maxTokens?: number;
  /** The longest prompt, where the provider caps it below the window. */
  readonly inputLimitTokens?: number;
  /**
   * Tokens of system prompt and tools. Where they are given, threshold and limit are shares of what they leave of the window.
   * @default threshold and limit are shares of the whole window
   */
  readonly overheadTokens?: number;
  /** How much is kept free for the reply. @default "usual" */
  readonly reserve?: Reserve;
  /** Whether to condense. When off, only the hard limit counts. */
  readonly autoCondenseContext: boolean;
  /** Whether condensing needs no model: then a small window condenses, too. @default false */
  readonly condensesLocally?: boolean;
}

/** Whether to condense or truncate, and the numbers that say so. */
export interface ManagementDecision {
  /** Condense when the threshold is reached; truncate when the limit is passed (also when condensing fails). */
  readonly shouldCondense: boolean;
  /** Whether condensing is switched on, and the window large enough for it. */
  readonly mayCondense: boolean;
  readonly mustShrink: boolean;
  readonly prevContextTokens: number;
  readonly allowedTokens: number;
  readonly usedPercent: number;
  readonly thresholdPercent: number;
  /** The threshold in tokens. */
  readonly triggerTokens: number;
  /** Tokens of system prompt and tools, where threshold and limit are shares of what these leave; else 0. */
  readonly overheadTokens: number;
  /** How small the prompt should become, where the policy says so. @default a share of threshold and limit */
  readonly targetTokens?: number;
  readonly warning?: string;
}

/**
 * Decides whether a context should be condensed now, and whether it must get smaller. Numbers suffice: no message is read, no model is asked.
 * @example
 * ```ts
 * import { decideManagement } from "palimpsest/core";
 * const settings = { autoCondenseContext: true, autoCondenseContextPercent: 75, profileThresholds: {}, currentProfileId: "default" };
 * const { shouldCondense, mustShrink } = decideManagement({ ...settings, totalTokens: 160_000, lastMessageTokens: 500, contextWindow: 200_000 });
 * console.log(shouldCondense, mustShrink); // true false
 * ```
 */
export function decideManagement(numbers: ManagementNumbers): ManagementDecision {
  assertObject("numbers", numbers);
  const { totalTokens, lastMessageTokens, contextWindow, maxTokens, inputLimitTokens } = numbers;
  const { autoCondenseContext, condensesLocally = false, overheadTokens, reserve } = numbers;
  assertNumber("totalTokens", totalTokens, 0);
  assertNumber("lastMessageTokens", lastMessageTokens, 0);
  const { percent: thresholdPercent, ...warning } = effectiveThreshold(numbers);
  const prevContextTokens = totalTokens + lastMessageTokens;
  const allowed = allowedTokens({
    contextWindow,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(inputLimitTokens === undefined ? {} : { inputLimitTokens }),
    ...(overheadTokens === undefined ? {} : { overheadTokens }),
    ...(reserve === undefined ? {} : { reserve }),
  });
  const triggerTokens = triggerOf(numbers, thresholdPercent);
  const usedPercent = (100 * prevContextTokens) / contextWindow;
  const mustShrink = prevContextTokens > allowed;
  const isDue = prevContextTokens >= triggerTokens || mustShrink;
  const mayCondense = autoCondenseContext && (condensesLocally || contextWindow >= MIN_CONDENSE_WINDOW);
  return {
    shouldCondense: mayCondense && isDue,
    mayCondense,
    mustShrink,
    prevContextTokens,
    allowedTokens: allowed,
    usedPercent,
    thresholdPercent,
    triggerTokens,
    overheadTokens: overheadTokens ?? 0,
    ...warning,
  };
}

/** The prompt at which the threshold is reached. */
function triggerOf({ contextWindow, overheadTokens = 0 }: ManagementNumbers, thresholdPercent: number): number {
  const free = Math.max(0, contextWindow - overheadTokens);
  return overheadTokens + (free * thresholdPercent) / 100;
}

/**
 * Whether the next management of the context will condense or truncate, so that a UI can show progress beforehand.
 * @example
 * ```ts
 * import { willManageContext } from "palimpsest/core";
 * const settings = { autoCondenseContext: true, autoCondenseContextPercent: 75, profileThresholds: {}, currentProfileId: "default" };
 * const isDue = (totalTokens: number) => willManageContext({ ...settings, totalTokens, lastMessageTokens: 500, contextWindow: 200_000 });
 * console.log(isDue(20_000), isDue(160_000)); // false true
 * ```
 */
export function willManageContext(numbers: ManagementNumbers): boolean {
  const { shouldCondense, mustShrink } = decideManagement(numbers);
  return shouldCondense || mustShrink;
}
