/** How much of what an agent needs next a compaction leaves visible: measured on real sessions, without a model. */

export type * from "../message/message-types.ts";
export type { StandingKind } from "../standing/standing-part.ts";
export type { TranscriptCompaction } from "../transcript/transcript.ts";
export { type BackTest, type BackTestOptions, backTest } from "./back-test.ts";
export { BASELINE_STRATEGIES } from "./baseline-strategies.ts";
export type {
  CaseSummary,
  Estimate,
  EvalGroup,
  EvalResult,
  EvalRow,
  EvalSession,
  EvalStrategy,
  Latency,
  SuccessiveRow,
  View,
} from "./eval-types.ts";
export { type FindQuestionsOptions, findQuestions, type SessionQuestions } from "./find-questions.ts";
export { measureStanding, type StandingCost } from "./measure-standing.ts";
export { type EvalPlotOptions, evalPlot, type PlottedMeasure } from "./report/eval-plot.ts";
export { evalTable } from "./report/eval-table.ts";
export { EVAL_BUDGETS, type RunEvalsOptions, runEvals } from "./run-evals.ts";
export { seededRandom } from "./summary/seeded-random.ts";
export { renderView } from "./view/render-view.ts";
