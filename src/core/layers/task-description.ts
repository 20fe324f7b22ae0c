import type { LayeredState } from "./layered-state.ts";
import type { SuccessCriterion, TaskLayer, ToolValidator } from "./task-layer.ts";

/** The task of an agent; only the goal is required. */
export type TaskDescription = Pick<TaskLayer, "goal"> &
  Partial<Omit<TaskLayer, "successCriteria">> & {
    readonly successCriteria?: readonly (string | CriterionDescription)[];
  };

/** A success criterion whose validator may be a function. */
export interface CriterionDescription extends Omit<SuccessCriterion, "validator"> {
  readonly validator?: ToolValidator | CriterionValidator;
}

/** Decides whether a criterion is met. A validator that throws, rejects or takes too long means that it is not. */
export type CriterionValidator = (
  outcome: TaskOutcome,
  options: { readonly signal: AbortSignal },
) => boolean | CriterionVerdict | Promise<boolean | CriterionVerdict>;

export interface CriterionVerdict {
  readonly isMet: boolean;
  /** For the model, and for the report. */
  readonly reason?: string;
}

/** The limit that stopped a task: on replies, calls, time, or money. */
export type TaskLimit = "steps" | "tool-calls" | "time" | "budget";

/** The outcome of a task, for its validators. */
export interface TaskOutcome {
  /** `stopped`: a limit was reached before the agent was done. */
  readonly type: "completed" | "stopped";
  /** The limit that stopped it; undefined where it was completed. */
  readonly limit?: TaskLimit;
  /** Why it was stopped, as a sentence. */
  readonly reason?: string;
  /** The agent's last reply. */
  readonly text: string;
  /** The number of the model's replies to this input; calls and cost are those of this input, too. */
  readonly steps: number;
  readonly toolCalls: number;
  /** 0 where the model's prices are not known. */
  readonly costUsd: number;
  readonly state: LayeredState;
}

/** The criterion as it is stored in the state: a function, which is no data, is stored as `"function"`. */
export function storedCriterion(criterion: string | CriterionDescription): string | SuccessCriterion {
  // An invalid value is reported by the check of the state.
  if (typeof criterion !== "object" || criterion === null) return criterion;
  const { validator, ...rest } = criterion;
  if (validator === undefined) return rest;
  return { ...rest, validator: typeof validator === "function" ? "function" : validator };
}

/** The validator function of a stored criterion: that at the same index, or the first with the same description. */
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
