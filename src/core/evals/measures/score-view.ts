import type { EvalCase } from "../eval-case.ts";
import type { View } from "../eval-types.ts";
import { countViewTokens, viewLines } from "../view/render-view.ts";
import { measureView } from "./measure-view.ts";

/** The score of one view; shares are absent where there was nothing to show. */
export interface ViewScore {
  readonly tokens: number;
  readonly isOverBudget: boolean;
  readonly frr?: number;
  readonly cfrr?: number;
  readonly cfrrWithRecall?: number;
  readonly ear?: number;
}

/** Scores a view against the agent's later needs. A view over the budget could not have been sent, and counts as empty. */
export function scoreView(evalCase: EvalCase, view: View, budgetTokens: number): ViewScore {
  const tokens = countViewTokens(view);
  const isOverBudget = tokens > budgetTokens;
  const { identifiers, editLines } = evalCase.questions;
  const answers = measureView(isOverBudget ? [] : viewLines(view), evalCase.questions);
  const reached = [...identifiers].filter((value) => answers.carried.has(value) || evalCase.isRecalled(value));
  return {
    tokens,
    isOverBudget,
    ...(identifiers.size > 0 && {
      frr: answers.shown.size / identifiers.size,
      cfrr: answers.carried.size / identifiers.size,
      cfrrWithRecall: reached.length / identifiers.size,
    }),
    ...(editLines.size > 0 && { ear: answers.editLines.size / editLines.size }),
  };
}

const wholeLogScores = new WeakMap<EvalCase, ViewScore>();

/** The score of the whole log, without a budget; cached for each case. */
export function scoreWholeLog(evalCase: EvalCase): ViewScore {
  const score = wholeLogScores.get(evalCase) ?? scoreView(evalCase, evalCase.log, Number.POSITIVE_INFINITY);
  wholeLogScores.set(evalCase, score);
  return score;
}
