import { addTo, solve } from "./solve.ts";

/** Things that are compared with each other, with the values of their terms row by row. */
export interface Group {
  readonly rows: readonly Float64Array[];
  /** Whether each of them came true. */
  readonly isTrue: readonly boolean[];
  /** What the group counts in the whole. */
  readonly weight: number;
}

export interface FitOptions {
  readonly terms: number;
  /** How much a weight of 1 costs: L2 regularisation. */
  readonly penalty: number;
}

const MAX_STEPS = 30;
const SMALL_STEP = 1e-5;
/** Newton's method may overshoot from afar. */
const LARGEST_STEP = 2;

/** First and second derivatives of what is fitted, summed over groups. */
class Slopes {
  readonly gradient: Float64Array;
  readonly curvature: readonly Float64Array[];

  constructor(terms: number) {
    this.gradient = new Float64Array(terms);
    this.curvature = Array.from({ length: terms }, () => new Float64Array(terms));
  }

  /** Adds `weight · row` to the gradient. */
  pull(row: Float64Array, weight: number): void {
    for (let term = 0; term < row.length; term++) addTo(this.gradient, term, weight * (row[term] ?? 0));
  }

  /** Adds `weight · row · rowᵀ` to the curvature. */
  bend(row: Float64Array, weight: number): void {
    for (let one = 0; one < row.length; one++) {
      const value = weight * (row[one] ?? 0);
      const into = this.curvature[one];
      if (value === 0 || into === undefined) continue;
      for (let other = 0; other < row.length; other++) addTo(into, other, value * (row[other] ?? 0));
    }
  }
}

/** Fits the chance of each thing by itself: logistic regression. The first term stands for the mean, and is not held back. */
export function fitLogistic(groups: readonly Group[], options: FitOptions): Float64Array {
  return climb(options, (weights, slopes) => {
    for (const { rows, isTrue, weight } of groups) {
      for (const [index, row] of rows.entries()) {
        const chance = 1 / (1 + Math.exp(-product(weights, row)));
        slopes.pull(row, weight * (Number(isTrue[index]) - chance));
        slopes.bend(row, weight * chance * (1 - chance));
      }
    }
    return 1;
  });
}

/** Fits how the things of a group compare: what came true is drawn from all of the group. */
export function fitComparison(groups: readonly Group[], options: FitOptions): Float64Array {
  return climb(options, (weights, slopes) => {
    for (const group of groups) addComparison(group, weights, slopes);
    return 0;
  });
}

function addComparison({ rows, isTrue, weight }: Group, weights: Float64Array, slopes: Slopes): void {
  const trueCount = isTrue.filter(Boolean).length;
  if (trueCount === 0) return;
  const logits = rows.map((row) => product(weights, row));
  const highest = logits.reduce((high, logit) => Math.max(high, logit), Number.NEGATIVE_INFINITY);
  const odds = logits.map((logit) => Math.exp(logit - highest));
  const total = odds.reduce((sum, each) => sum + each, 0);
  const mean = new Float64Array(weights.length);
  for (const [index, row] of rows.entries()) {
    const share = (odds[index] ?? 0) / total;
    if (isTrue[index]) slopes.pull(row, weight / trueCount);
    slopes.bend(row, weight * share);
    for (let term = 0; term < row.length; term++) addTo(mean, term, share * (row[term] ?? 0));
  }
  slopes.pull(mean, -weight);
  slopes.bend(mean, -weight);
}

/** Newton's method; `add` tells how many of the first terms are not held back. */
function climb({ terms, penalty }: FitOptions, add: (weights: Float64Array, slopes: Slopes) => number): Float64Array {
  const weights = new Float64Array(terms);
  for (let step = 0; step < MAX_STEPS; step++) {
    const slopes = new Slopes(terms);
    const free = add(weights, slopes);
    for (let term = 0; term < terms; term++) {
      const held = term < free ? SMALL_STEP : penalty;
      addTo(slopes.gradient, term, -held * (weights[term] ?? 0));
      const row = slopes.curvature[term];
      if (row !== undefined) addTo(row, term, held);
    }
    const change = solve(slopes.curvature, slopes.gradient);
    const largest = change.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    for (let term = 0; term < terms; term++) {
      addTo(weights, term, (change[term] ?? 0) * Math.min(1, LARGEST_STEP / Math.max(largest, SMALL_STEP)));
    }
    if (largest < SMALL_STEP) break;
  }
  return weights;
}

function product(weights: Float64Array, row: Float64Array): number {
  let sum = 0;
  for (let term = 0; term < row.length; term++) sum += (weights[term] ?? 0) * (row[term] ?? 0);
  return sum;
}
