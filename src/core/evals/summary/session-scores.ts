import type { ViewScore } from "../measures/score-view.ts";

/** All that was measured in one session. */
export interface SessionScores {
  readonly name: string;
  readonly cases: readonly CaseScores[];
  /** The groups that a boundary with a log of this size belongs to. */
  groupsOf(logTokens: number): readonly string[];
}

/** All that was measured at one boundary with one budget. */
export interface CaseScores {
  readonly budgetTokens: number;
  readonly needed: number;
  readonly editLines: number;
  readonly logTokens: number;
  /** In the order of the contestants. */
  readonly scores: readonly TimedScore[];
}

export interface TimedScore extends ViewScore {
  readonly latencyMs: number;
  /** `cfrr` after successive compactions; at the last boundary of a session only. */
  readonly successive?: number;
}
