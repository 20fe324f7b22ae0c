import { demandNumber, demandObject, describeValue } from "../demand.ts";

/** Below this a threshold would condense at nearly every turn. */
export const MIN_CONDENSE_THRESHOLD = 5;
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

/** The threshold that applies: the current profile's, if it has a usable one, else the global one. */
export function effectiveThreshold(settings: ThresholdSettings): CondenseThreshold {
  demandObject("settings", settings);
  demandNumber("autoCondenseContextPercent", settings.autoCondenseContextPercent);
  demandObject("profileThresholds", settings.profileThresholds);
  const { autoCondenseContextPercent: global, profileThresholds, currentProfileId } = settings;
  const own = Object.hasOwn(profileThresholds, currentProfileId) ? profileThresholds[currentProfileId] : undefined;
  if (own === undefined || own === INHERIT) return { percent: global };
  const isUsable = typeof own === "number" && own >= MIN_CONDENSE_THRESHOLD && own <= MAX_CONDENSE_THRESHOLD;
  if (isUsable) return { percent: own };
  return {
    percent: global,
    warning:
      `The condense threshold of profile ${JSON.stringify(currentProfileId)} is ${describeValue(own)}; it must be between ` +
      `${MIN_CONDENSE_THRESHOLD} and ${MAX_CONDENSE_THRESHOLD}, or ${INHERIT} to inherit. Using the global ${global} %.`,
  };
}
