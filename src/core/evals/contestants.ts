import { oracleView } from "./baselines/oracle-view.ts";
import type { EvalCase } from "./eval-case.ts";
import type { EvalStrategy, View } from "./eval-types.ts";

/** What takes part in a run: a strategy, or one of the two that mark the ends of the scale. */
export interface Contestant {
  readonly name: string;
  /** Absent where compacting again would mean nothing. */
  readonly strategy?: EvalStrategy;
  view(evalCase: EvalCase, budgetTokens: number): View | typeof WHOLE_LOG;
}

export const WHOLE_LOG = Symbol("whole log");

const ORACLE: Contestant = {
  name: "oracle",
  view: ({ questions }, budgetTokens) => oracleView(questions, budgetTokens),
};

/** Must show every needed identifier; a run in which it does not measures nothing. */
export const EVERYTHING: Contestant = { name: "everything", view: () => WHOLE_LOG };

/** Ends of the scale, not ways to compact: one knows the future, the other keeps to no budget. */
export const REFERENCES: readonly Contestant[] = [ORACLE, EVERYTHING];

/** The strategies, then the oracle and the whole log. */
export function createContestants(strategies: readonly EvalStrategy[]): readonly Contestant[] {
  const competing = strategies.map((strategy): Contestant => {
    const { name } = strategy;
    return { name, strategy, view: ({ log }, budgetTokens) => strategy.compact(log, budgetTokens) };
  });
  return [...competing, ...REFERENCES];
}
