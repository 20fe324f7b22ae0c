import { compact } from "../../core/condense/ledger/compact.ts";
import { BASELINE_STRATEGIES, type EvalStrategy } from "../../core/evals/index.ts";

/** Returns the log with its folds, of which the benchmark looks at the view: a later compaction reads what is hidden too. */
const ledger: EvalStrategy = {
  name: "ledger",
  compact: (messages, budgetTokens) => compact(messages, budgetTokens).messages,
};

/** What is compared: our own condenser, and the simple ways that others use. */
export const EVAL_STRATEGIES: readonly EvalStrategy[] = [ledger, ...BASELINE_STRATEGIES];
