import { BASELINE_STRATEGIES, type EvalStrategy } from "../../core/evals/index.ts";

/** What is compared: our own condenser, and the simple ways that others use. */
export const EVAL_STRATEGIES: readonly EvalStrategy[] = BASELINE_STRATEGIES;
