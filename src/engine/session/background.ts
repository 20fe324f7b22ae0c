import { describeError } from "../../core/describe-error.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { refuseCondensation } from "../condense/condensation-run.ts";
import { type Assessment, condenseMessages, type LiveSession, recordCondensation } from "./live-session.ts";
import type { LogState } from "./log-state.ts";

/** Condenses ahead of need, one condensation at a time. */
export interface Background {
  isRunning(): boolean;
  /** Starts a condensation of the log as it is. False, and nothing is done, while one is under way. */
  start(assessment: Assessment): boolean;
  /** Waits for the one under way, if there is one. Never rejects. */
  wait(): Promise<void>;
  /** Puts a finished condensation in place; undefined where there is none. One whose log was rewritten is discarded. */
  take(): Promise<CondensationResult | undefined>;
}

interface Task {
  readonly base: LogState;
  readonly prevContextTokens: number;
  readonly done: Promise<void>;
  result: CondensationResult | undefined;
}

export function createBackground(session: LiveSession): Background {
  let task: Task | undefined;

  function start({ context }: Assessment): boolean {
    if (task !== undefined) return false;
    const base = session.log.state();
    const { messages } = base;
    const started: Task = {
      base,
      prevContextTokens: context.prevContextTokens,
      result: undefined,
      done: condenseMessages(session, { messages, context })
        // Nobody may be waiting: unhandled, it would end the process.
        .catch((error: unknown) => refuseCondensation(messages, { error: describeError(error), modelCalls: 1 }))
        .then((result) => {
          started.result = result;
        }),
    };
    task = started;
    return true;
  }

  async function take(): Promise<CondensationResult | undefined> {
    if (task?.result === undefined) return undefined;
    const { base, prevContextTokens, result } = task;
    task = undefined;
    const isCommitted = result.error === undefined && (await session.log.commit(base, result.messages));
    const outcome = isCommitted || result.error !== undefined ? result : discarded(result, session.log.messages());
    const isAborted = outcome !== result;
    recordCondensation(session, { messages: base.messages, result: outcome, prevContextTokens, isAborted });
    return outcome;
  }

  return {
    isRunning: () => task !== undefined && task.result === undefined,
    start,
    take,
    wait: async () => task?.done,
  };
}

function discarded(
  { cost, modelCalls = 1 }: CondensationResult,
  messages: CondensationResult["messages"],
): CondensationResult {
  const error = "The conversation was rewritten while it was condensed in the background; the result is discarded.";
  return refuseCondensation(messages, { error, costUsd: cost, modelCalls });
}
