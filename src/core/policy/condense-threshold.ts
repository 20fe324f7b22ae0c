import { assertNumber, assertObject, describeValue } from "../assert.ts";

/**
 * Below this a threshold would condense at nearly every turn.
 * @example
 * ```ts
 * import { effectiveThreshold, MIN_CONDENSE_THRESHOLD } from "palimpsest/core";
 * const profileThresholds = { low: MIN_CONDENSE_THRESHOLD, tooLow: MIN_CONDENSE_THRESHOLD - 1 };
 * const percentOf = (currentProfileId: string) => effectiveThreshold({ autoCondenseContextPercent: 80, profileThresholds, currentProfileId }).percent;
 * console.log(percentOf("low"), percentOf("tooLow")); // 5 80
 * ```
 */
export const MIN_CONDENSE_THRESHOLD = 5;
/**
 * The highest threshold: condenses only when the window is full.
 * @example
 * ```ts
 * import { effectiveThreshold, MAX_CONDENSE_THRESHOLD } from "palimpsest/core";
 * const profileThresholds = { full: MAX_CONDENSE_THRESHOLD };
 * console.log(effectiveThreshold({ autoCondenseContextPercent: 80, profileThresholds, currentProfileId: "full" }).percent); // 100
 * ```
 */
export const MAX_CONDENSE_THRESHOLD = 100;

/** The value by which a profile says that the global threshold applies to it. */
const INHERIT = -1;

export interface ThresholdSettings {
  /** The global threshold: how full the window may become before we condense, in percent. */
  readonly autoCondenseContextPercent: number;
  /** Thresholds of single profiles: a percentage, or -1 to inherit the global one. */
  readonly profileThresholds: Readonly<Record<string, number>>;
  readonly currentProfileId: string;
}

export interface CondenseThreshold {
  readonly percent: number;
  /** Set when the profile's own value makes no sense and the global one applies instead. */
  readonly warning?: string;
}

/**
 * The threshold that applies: the current profile's, if it has a usable one, else the global one.
 * @example
 * ```ts
 * import { effectiveThreshold } from "palimpsest/core";
 * const profileThresholds = { careful: 60, inherits: -1 };
 * console.log(effectiveThreshold({ autoCondenseContextPercent: 80, profileThresholds, currentProfileId: "careful" }).percent); // 60
 * ```
 */
export function effectiveThreshold(settings: ThresholdSettings): CondenseThreshold {
  assertObject("settings", settings);
  assertNumber("autoCondenseContextPercent", settings.autoCondenseContextPercent);
  assertObject("profileThresholds", settings.profileThresholds);
  const { autoCondenseContextPercent: global, profileThresholds, currentProfileId } = settings;
  const own = ownThreshold(profileThresholds, currentProfileId);
  if (own === undefined || own === INHERIT) return { percent: global };
  if (isUsable(own)) return { percent: own };
  return {
    percent: global,
    warning:
      `The condense threshold of profile ${JSON.stringify(currentProfileId)} is ${describeValue(own)}; it must be between ` +
      `${MIN_CONDENSE_THRESHOLD} and ${MAX_CONDENSE_THRESHOLD}, or ${INHERIT} to inherit. Using the global ${global} %.`,
  };
}

/** Whether a threshold was set for a profile: its own, or the global one. */
export function isThresholdSet(
  {
    global,
    profiles,
  }: { readonly global: number | undefined; readonly profiles: ThresholdSettings["profileThresholds"] },
  profileId: string,
): boolean {
  const own = ownThreshold(profiles, profileId);
  return global !== undefined || (own !== undefined && isUsable(own));
}

function ownThreshold(profiles: ThresholdSettings["profileThresholds"], profileId: string): number | undefined {
  return Object.hasOwn(profiles, profileId) ? profiles[profileId] : undefined;
}

function isUsable(own: number): boolean {
  return typeof own === "number" && own >= MIN_CONDENSE_THRESHOLD && own <= MAX_CONDENSE_THRESHOLD;
}
