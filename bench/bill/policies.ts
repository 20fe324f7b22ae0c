import { enginePolicy } from "./engine-policies.ts";
import type { Policy } from "./policy.ts";
import { CLEARING_BY_ANTHROPIC, MASKING, NO_FOLDING, summaryAt } from "./usual-policies.ts";

/** What every bill is compared with. */
export const REFERENCE = summaryAt(0.8);

const OURS = enginePolicy("ours (balanced)", {}, 16_000);

/** The policies of a short table. */
export const COMPARED_POLICIES: readonly Policy[] = [NO_FOLDING, REFERENCE, OURS];

/** The policies of a whole table. */
export const POLICIES: readonly Policy[] = [
  NO_FOLDING,
  summaryAt(0.5),
  REFERENCE,
  summaryAt(0.95),
  MASKING,
  CLEARING_BY_ANTHROPIC,
  enginePolicy("ours, threshold", { configuration: { thresholds: { adaptive: false } } }, 16_000),
  enginePolicy("ours, careful", { configuration: { thresholds: { economy: "careful" } } }, 32_000),
  OURS,
  enginePolicy("ours, thrifty", { configuration: { thresholds: { economy: "thrifty" } } }, 8_000),
];

const CURVE_BUDGETS = [8_000, 10_000, 12_000, 14_000, 16_000, 20_000, 24_000, 28_000, 32_000];

/** Ours with one budget after the other: what a lower bill costs in names. */
export const CURVE_POLICIES: readonly Policy[] = CURVE_BUDGETS.map((tokens) =>
  enginePolicy(`${tokens / 1_000}k`, { configuration: { thresholds: { economy: tokens } } }, tokens),
);
