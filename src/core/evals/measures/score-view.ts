import type { EvalCase } from "../eval-case.ts";
import type { View } from "../eval-types.ts";
import { countViewTokens, viewLines } from "../view/render-view.ts";
import { measureView } from "./measure-view.ts";

/** What one view reached; shares are absent where there was nothing to show. */
export interface ViewScore {
  readonly tokens: number;
  readonly isOverBudget: boolean;
  readonly frr?: number;
  readonly cfrr?: number;
  readonly cfrrWithRecall?: number;
  readonly ear?: number;
}

/** Scores a view against what the agent needed later. One over the budget could not have been sent: it shows nothing. */
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

/** The score of the log itself, which no budget holds; computed once for each case. */
export function scoreWholeLog(evalCase: EvalCase): ViewScore {
  const known = wholeLogScores.get(evalCase) ?? scoreView(evalCase, evalCase.log, Number.POSITIVE_INFINITY);
  wholeLogScores.set(evalCase, known);
  return known;
}
