import type { TaskOutcome } from "../../core/layers/task-description.ts";
import type { CriterionResult } from "../../core/layers/task-layer.ts";

export interface ExecuteOptions {
  /** Aborts the task at any moment; the session can be continued. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a task. */
export interface TaskResult extends TaskOutcome {
  /** The check of each success criterion, in their order. */
  readonly criteria: readonly CriterionResult[];
  /** The check of the last reply's format; undefined where the task has no output format that can be checked. */
  readonly output?: OutputReport;
  /**
   * "unmet": a success criterion is not met, or the last reply is not in the output format. "met": every check passed. "unchecked": there was
   * nothing to check.
   */
  readonly verdict: "met" | "unmet" | "unchecked";
}

/** Whether the last reply is in the output format. */
export type OutputReport =
  /** `value`: the reply's JSON where the format is "json", else its text. */
  | { readonly status: "valid"; readonly value: unknown }
  | { readonly status: "invalid"; readonly errors: readonly string[] };

export type SafeTaskResult =
  | (TaskResult & { readonly recoveries: readonly Recovery[] })
  | {
      readonly type: "failed";
      readonly cause: FailureCause;
      readonly error: string;
      readonly recoveries: readonly Recovery[];
    };

export type FailureCause = "aborted" | "too-long" | "cannot-fit" | "model" | "store" | "other";

/** A problem from which the task recovered. */
export interface Recovery {
  readonly problem: Exclude<FailureCause, "aborted">;
  readonly error: string;
  readonly remedy: string;
}
