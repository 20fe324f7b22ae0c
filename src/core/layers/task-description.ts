import type { LayeredState } from "./layered-state.ts";
import type { SuccessCriterion, TaskLayer, ToolValidator } from "./task-layer.ts";

/** What an agent is to do; only the goal is needed. */
export type TaskDescription = Pick<TaskLayer, "goal"> &
  Partial<Omit<TaskLayer, "successCriteria">> & {
    readonly successCriteria?: readonly (string | CriterionDescription)[];
  };

/** A success criterion whose validator may be a function. */
export interface CriterionDescription extends Omit<SuccessCriterion, "validator"> {
  readonly validator?: ToolValidator | CriterionValidator;
}

/** Decides whether a criterion is met; what throws, rejects or takes too long has not been met. */
export type CriterionValidator = (
  outcome: TaskOutcome,
  options: { readonly signal: AbortSignal },
) => boolean | CriterionVerdict | Promise<boolean | CriterionVerdict>;

export interface CriterionVerdict {
  readonly isMet: boolean;
  /** For the model, and for the report. */
  readonly reason?: string;
}

/** What stopped a task: replies, calls, time, or money. */
export type TaskLimit = "steps" | "tool-calls" | "time" | "budget";

/** What came of a task, as its validators see it. */
export interface TaskOutcome {
  /** Stopped: a limit was reached before the agent was done. */
  readonly type: "completed" | "stopped";
  /** Which limit; undefined where it was done. */
  readonly limit?: TaskLimit;
  /** The same in words. */
  readonly reason?: string;
  /** What the agent said last. */
  readonly text: string;
  /** Replies of the model to this input; so with calls and cost. */
  readonly steps: number;
  readonly toolCalls: number;
  /** 0 where the model's prices are not known. */
  readonly costUsd: number;
  readonly state: LayeredState;
}

/** The criterion as the state keeps it: a function is no data, so only the fact that there is one is kept. */
export function storedCriterion(criterion: string | CriterionDescription): string | SuccessCriterion {
  // Whatever else it is, the check of the state names it.
  if (typeof criterion !== "object" || criterion === null) return criterion;
  const { validator, ...rest } = criterion;
  if (validator === undefined) return rest;
  return { ...rest, validator: typeof validator === "function" ? "function" : validator };
}

/** The function that decides a stored criterion: the one at the same place, or the first with the same words. */
export function findValidator(
  task: string | TaskDescription,
  description: string,
  index: number,
): CriterionValidator | undefined {
  const criteria = typeof task === "string" ? [] : (task.successCriteria ?? []);
  const isNamed = (each: string | CriterionDescription | undefined): each is CriterionDescription =>
    typeof each === "object" && each.description === description && typeof each.validator === "function";
  const found = isNamed(criteria[index]) ? criteria[index] : criteria.find(isNamed);
  return typeof found?.validator === "function" ? found.validator : undefined;
}
