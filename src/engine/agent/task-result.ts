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
  /** Unmet: a success criterion is not met. Met: all that have a validator are. Unchecked: there was nothing to check. */
  readonly verdict: "met" | "unmet" | "unchecked";
}

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
