import type { TaskOutcome } from "../../core/layers/task-description.ts";
import type { CriterionResult } from "../../core/layers/task-layer.ts";

export interface ExecuteOptions {
  /** Stops the agent at any moment; the session stays one that can go on. */
  readonly signal?: AbortSignal | undefined;
}

/** What came of a task. */
export interface TaskResult extends TaskOutcome {
  /** What the check of each success criterion found, in their order. */
  readonly criteria: readonly CriterionResult[];
  /** What the check of the last reply found; undefined where the task has no output format that can be checked. */
  readonly output?: OutputReport;
  /**
   * Unmet: a success criterion is not met, or the last reply is not in the output format. Met: all that was checked is. Unchecked: there was nothing to
   * check.
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

/** A problem that was mended on the way. */
export interface Recovery {
  readonly problem: Exclude<FailureCause, "aborted">;
  readonly error: string;
  readonly remedy: string;
}
