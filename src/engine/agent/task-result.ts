import type { LayeredState } from "../../core/layers/layered-state.ts";

export interface ExecuteOptions {
  /** Stops the agent at any moment; the session stays one that can go on. */
  readonly signal?: AbortSignal | undefined;
}

/** What came of a task. */
export interface TaskResult {
  /** Stopped: a limit was reached before the agent was done. */
  readonly type: "completed" | "stopped";
  /** Which limit; undefined where it was done. */
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
