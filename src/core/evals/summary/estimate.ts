import type { Estimate } from "../eval-types.ts";

export interface EstimateOptions {
  readonly resamples: number;
  readonly random: () => number;
}

const LOW = 0.025;
const HIGH = 0.975;

/** The mean of one value per session, and between what it would lie for other sessions of the same kind. */
export function estimateMean(values: readonly number[], { resamples, random }: EstimateOptions): Estimate | undefined {
  if (values.length === 0) return undefined;
  const means = Float64Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort();
  return {
    mean: meanOf(values),
    low: quantile(means, LOW),
    high: quantile(means, HIGH),
    sessions: values.length,
  };
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The nearest-rank quantile of numbers in ascending order; 0 of none. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const rank = Math.ceil(share * ascending.length) - 1;
  return ascending[Math.min(ascending.length - 1, Math.max(0, rank))] ?? 0;
}
