import { setTimeout as timer } from "node:timers/promises";
import { describeError } from "../../core/describe-error.ts";
import type { TooLong } from "../../core/policy/too-long.ts";
import { checkpointAgent } from "./checkpoint-agent.ts";
import { classifyFailure, type TaskFailure } from "./classify-failure.ts";
import type { Sleep } from "./modern-options.ts";
import type { Agent } from "./open-agent.ts";
import { createTaskRun, type TaskRun } from "./run-task.ts";
import type { ExecuteOptions, FailureCause, Recovery, SafeTaskResult } from "./task-result.ts";

/** How often a task is tried again for one problem without getting a step further. */
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

/** Runs a task, and recovers from prompts that are too long, busy models, and a store that fails for a while. */
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
      const remedy = await tryToRecover(failure, { open, sleep, tried, run, signal });
      recoveries.push({ problem: cause, error: failure.error, remedy });
    }
  }
}

interface RecoveryAttempt extends Required<RecoveryPorts> {
  readonly sleep: Sleep;
  readonly tried: number;
  readonly run: TaskRun | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Applies the remedy for a failure and returns what was done. Where the remedy fails, the next try of the task decides. */
async function tryToRecover(failure: TaskFailure, attempt: RecoveryAttempt): Promise<string> {
  try {
    const remedy = await recover(failure, attempt);
    const { audit, now } = await attempt.open();
    audit.add({ type: "recovery", at: now(), problem: failure.cause, remedy });
    return remedy;
  } catch (error) {
    return `none: ${describeError(error)}`;
  }
}

async function recover(failure: TaskFailure, { open, sleep, tried, run, signal }: RecoveryAttempt): Promise<string> {
  if (failure.cause === "too-long") return shrinkPrompt(await open(), failure.tooLong, { tried, signal });
  const waitMs = Math.min(LONGEST_WAIT_MS, failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tried);
  await sleep(waitMs, signal);
  // A finished task only needs its checkpoint saved again.
  if (failure.cause !== "store" || run === undefined || run.isFinished()) return `waited ${waitMs} ms`;
  return restoreCheckpoint(await open());
}

/** Moves the agent to the phase "failed", unless the task was aborted: that one may go on. */
async function noteFailure(open: () => Promise<Agent>, { cause, error }: TaskFailure): Promise<void> {
  if (cause === "aborted") return;
  try {
    const agent = await open();
    agent.enterPhase("failed", error);
    await checkpointAgent(agent);
  } catch {
    // The agent or its store cannot be opened, which is the failure itself.
  }
}

/** Counts how often each problem came up since the task's last step. */
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

/** The size to which a prompt that was too long is condensed, as a share of the longest one. */
const RECOVERY_SHARE = 0.3;
/** The factor by which the window shrinks where the provider does not name its limit. */
const SHRINKING = 0.7;

interface ShrinkOptions {
  /** How often the prompt was too long already. */
  readonly tried: number;
  readonly signal: AbortSignal | undefined;
}

/** Adapts the window to the provider's error, and condenses to much less, so that the next prompt surely fits. Returns what was done. */
async function shrinkPrompt(agent: Agent, tooLong: TooLong, { tried, signal }: ShrinkOptions): Promise<string> {
  const named = tooLong.isTooLong ? tooLong.limitTokens : undefined;
  const { contextWindow } = agent.window();
  if (named !== undefined && named < contextWindow) agent.learnWindow(named);
  // The window is not smaller than we thought: the provider counts more tokens than we do, so fewer of ours fit.
  else if (named === undefined || tried > 0) agent.shrinkWindow(Math.round(contextWindow * SHRINKING));
  const { error } = await agent.session.condense({ targetShare: RECOVERY_SHARE, trigger: "auto", signal });
  const window = agent.window().contextWindow;
  return `took the window for ${window} tokens and condensed${error === undefined ? "" : ` (${error})`}`;
}

/** Goes back to the last checkpoint, with log, state and files, as later changes may be half written. Returns what was done. */
async function restoreCheckpoint(agent: Agent): Promise<string> {
  const { session, options } = agent;
  const [last] = options.store === undefined ? [] : await session.checkpoints({ limit: 1 });
  if (last === undefined) return "tried again; there is no checkpoint yet";
  const files = options.workspace !== undefined && last.filesId !== undefined;
  await session.rewind({ toCheckpoint: last.id, files });
  agent.restoreState(last.state);
  return `went back to ${last.id}`;
}
