import { setTimeout as timer } from "node:timers/promises";
import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { readTooLong, type TooLong } from "../../core/policy/too-long.ts";
import type { Agent } from "./open-agent.ts";
import { beginTask, goOn } from "./run-task.ts";
import type { ExecuteOptions, FailureCause, Recovery, SafeTaskResult, TaskResult } from "./task-result.ts";

/** A task is tried again so often for each kind of problem; then it has failed. */
const MAX_TRIES: Readonly<Record<Recovery["problem"], number>> = {
  "too-long": 3,
  model: 5,
  store: 3,
  "cannot-fit": 0,
  other: 0,
};
/** What a prompt that was too long is condensed to, as a share of the longest one. */
const RECOVERY_SHARE = 0.3;
/** Where the provider does not say what it takes, the window is taken for so much of what it was. */
const SHRINKING = 0.7;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** Runs a task, and mends what can be mended: prompts that are too long, models that are busy, a store that fails for a while. */
export async function recoverTask(
  open: () => Promise<Agent>,
  input: string,
  options: ExecuteOptions,
): Promise<SafeTaskResult> {
  const recoveries: Recovery[] = [];
  let hasBegun = false;
  for (;;) {
    try {
      const agent = await open();
      if (!hasBegun) await beginTask(agent, input, options);
      hasBegun = true;
      const result: TaskResult = await goOn(agent, options);
      return { ...result, recoveries };
    } catch (error) {
      const failure = classify(error, options.signal);
      const tried = recoveries.filter(({ problem }) => problem === failure.cause).length;
      if (failure.cause === "aborted" || tried >= MAX_TRIES[failure.cause]) {
        return { type: "failed", cause: failure.cause, error: describeError(error), recoveries };
      }
      try {
        const mended = await mend(await open(), failure, { tried, signal: options.signal });
        if (mended.isRewound) hasBegun = false;
        recoveries.push({ problem: failure.cause, error: describeError(error), remedy: mended.remedy });
      } catch (second) {
        // The remedy failed as well; the next round tells whether that lasts.
        recoveries.push({
          problem: failure.cause,
          error: describeError(error),
          remedy: `none: ${describeError(second)}`,
        });
      }
    }
  }
}

interface TaskFailure {
  readonly cause: FailureCause;
  readonly tooLong: TooLong;
  readonly retryAfterMs: number | undefined;
}

function classify(error: unknown, signal: AbortSignal | undefined): TaskFailure {
  const field = (name: string): unknown =>
    typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
  const status = [field("status"), field("statusCode")].find((value) => typeof value === "number");
  const code = field("code");
  const tooLong = readTooLong({
    message: describeError(error),
    ...(typeof status === "number" ? { status } : {}),
    ...(typeof code === "string" ? { code } : {}),
    body: field("body"),
  });
  const retryAfterMs = field("retryAfterMs");
  const found = { tooLong, retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : undefined };
  if (signal?.aborted === true) return { ...found, cause: "aborted" };
  if (tooLong.isTooLong) return { ...found, cause: "too-long" };
  const isTransient = field("isTransient") === true || isPassing(status);
  if (!(error instanceof PalimpsestError)) return { ...found, cause: isTransient ? "model" : "other" };
  switch (error.code) {
    case "cannot-fit":
      return { ...found, cause: "cannot-fit" };
    case "store-failed":
    case "conflict":
      return { ...found, cause: "store" };
    case "model-failed":
      return { ...found, cause: isTransient ? "model" : "other" };
    default:
      return { ...found, cause: "other" };
  }
}

/** No answer, a time-out, too many requests, or a fault of the server: it may be otherwise in a moment. */
function isPassing(status: unknown): boolean {
  return typeof status !== "number" || status === 408 || status === 409 || status === 429 || status >= 500;
}

interface MendOptions {
  readonly tried: number;
  readonly signal: AbortSignal | undefined;
}

async function mend(
  agent: Agent,
  failure: TaskFailure,
  { tried, signal }: MendOptions,
): Promise<{ readonly remedy: string; readonly isRewound: boolean }> {
  switch (failure.cause) {
    case "too-long":
      return { remedy: await shrink(agent, failure.tooLong, tried), isRewound: false };
    case "store":
      await wait(agent, FIRST_WAIT_MS * 2 ** tried, signal);
      return restoreCheckpoint(agent);
    default: {
      const waitMs = Math.min(LONGEST_WAIT_MS, failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** tried);
      await wait(agent, waitMs, signal);
      return { remedy: `waited ${waitMs} ms`, isRewound: false };
    }
  }
}

async function wait({ options }: Agent, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { sleep = (waitMs, stop) => timer(waitMs, undefined, stop === undefined ? {} : { signal: stop }) } = options;
  await sleep(ms, signal);
}

/** Believes the provider about its window, and condenses to much less, so that the next prompt surely fits. */
async function shrink(
  { session, modelId, contextWindow, maxOutputTokens, audit, now }: Agent,
  tooLong: TooLong,
  tried: number,
): Promise<string> {
  const named = tooLong.isTooLong ? tooLong.limitTokens : undefined;
  const window = Math.floor(
    Math.min(contextWindow * SHRINKING ** (named === undefined ? tried + 1 : tried), named ?? contextWindow),
  );
  const maxTokens = Math.min(maxOutputTokens, Math.floor(window / 4));
  session.useModel({ model: modelId, contextWindow: window, maxTokens });
  const { error } = await session.condense({ targetShare: RECOVERY_SHARE, trigger: "auto" });
  const remedy = `took the window for ${window} tokens and condensed${error === undefined ? "" : ` (${error})`}`;
  audit.add({ type: "recovery", at: now(), problem: "too-long", remedy });
  return remedy;
}

/** What was done since may be half written: the last checkpoint is whole. */
async function restoreCheckpoint(agent: Agent): Promise<{ readonly remedy: string; readonly isRewound: boolean }> {
  const { session, options, audit, now } = agent;
  const [last] = options.store === undefined ? [] : await session.checkpoints({ limit: 1 });
  if (last === undefined) return { remedy: "tried again; there is no checkpoint yet", isRewound: false };
  await session.rewind({ toCheckpoint: last.id });
  agent.restoreState(last.state);
  const remedy = `went back to ${last.id}`;
  audit.add({ type: "recovery", at: now(), problem: "store", remedy });
  return { remedy, isRewound: true };
}
