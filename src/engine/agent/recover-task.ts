import { setTimeout as timer } from "node:timers/promises";
import { describeError } from "../../core/describe-error.ts";
import { checkpointAgent } from "./checkpoint-agent.ts";
import { classifyFailure, type TaskFailure } from "./classify-failure.ts";
import type { Sleep } from "./modern-options.ts";
import type { Agent } from "./open-agent.ts";
import { restoreCheckpoint, shrinkPrompt } from "./remedies.ts";
import { createTaskRun, type TaskRun } from "./run-task.ts";
import type { ExecuteOptions, FailureCause, Recovery, SafeTaskResult } from "./task-result.ts";

/** A task is tried again so often for one problem without getting a step further; then it has failed. */
const MAX_TRIES: Readonly<Record<FailureCause, number>> = {
  "too-long": 3,
  model: 5,
  store: 5,
  "cannot-fit": 0,
  other: 0,
  aborted: 0,
};
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export interface RecoveryPorts {
  readonly open: () => Promise<Agent>;
  /** @default a timer */
  readonly sleep: Sleep | undefined;
}

/** Runs a task, and mends what can be mended: prompts that are too long, models that are busy, a store that fails for a while. */
export async function recoverTask(
  { open, sleep = sleepByTimer }: RecoveryPorts,
  input: string,
  options: ExecuteOptions,
): Promise<SafeTaskResult> {
  const { signal } = options;
  const recoveries: Recovery[] = [];
  const tries = createTries();
  let run: TaskRun | undefined;
  for (;;) {
    try {
      run ??= createTaskRun(await open(), input, options);
      return { ...(await run.proceed()), recoveries };
    } catch (error) {
      const failure = classifyFailure(error, signal);
      const { cause } = failure;
      const tried = tries.count(cause, run?.steps() ?? 0);
      if (cause === "aborted" || tried >= MAX_TRIES[cause]) {
        await noteFailure(open, failure);
        return { type: "failed", cause, error: failure.error, recoveries };
      }
      const remedy = await tryToMend(failure, { open, sleep, tried, run, signal });
      recoveries.push({ problem: cause, error: failure.error, remedy });
    }
  }
}

interface Mending extends Required<RecoveryPorts> {
  readonly sleep: Sleep;
  readonly tried: number;
  readonly run: TaskRun | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Where the remedy fails as well, the next try tells whether that lasts. */
async function tryToMend(failure: TaskFailure, mending: Mending): Promise<string> {
  try {
    const remedy = await mend(failure, mending);
    const { audit, now } = await mending.open();
    audit.add({ type: "recovery", at: now(), problem: failure.cause, remedy });
    return remedy;
  } catch (error) {
    return `none: ${describeError(error)}`;
  }
}

async function mend(failure: TaskFailure, { open, sleep, tried, run, signal }: Mending): Promise<string> {
  if (failure.cause === "too-long") return shrinkPrompt(await open(), failure.tooLong, { tried, signal });
  const waitMs = Math.min(LONGEST_WAIT_MS, failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tried);
  await sleep(waitMs, signal);
  // What is done need only be kept.
  if (failure.cause !== "store" || run === undefined || run.isFinished()) return `waited ${waitMs} ms`;
  return restoreCheckpoint(await open());
}

/** A task that failed is seen to have failed; one that was stopped may go on. */
async function noteFailure(open: () => Promise<Agent>, { cause, error }: TaskFailure): Promise<void> {
  if (cause === "aborted") return;
  try {
    const agent = await open();
    agent.enterPhase("failed", error);
    await checkpointAgent(agent);
  } catch {
    // There is no agent, or no store: that is what failed.
  }
}

/** How often each problem came up since the task last got a step further. */
function createTries(): { count(cause: FailureCause, steps: number): number } {
  let counted = new Map<FailureCause, number>();
  let atSteps = 0;
  return {
    count: (cause, steps) => {
      if (steps !== atSteps) counted = new Map();
      atSteps = steps;
      const tried = counted.get(cause) ?? 0;
      counted.set(cause, tried + 1);
      return tried;
    },
  };
}

async function sleepByTimer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await timer(ms, undefined, signal === undefined ? {} : { signal });
}
