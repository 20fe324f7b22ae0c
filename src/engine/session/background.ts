import { describeError } from "../../core/describe-error.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { refuseCondensation } from "../condense/condensation-run.ts";
import type { Assessment } from "./assess.ts";
import { condenseMessages, recordCondensation } from "./condense-messages.ts";
import type { LiveSession } from "./live-session.ts";
import type { WholeLog } from "./log-state.ts";

/** Condenses before the view has to shrink, one condensation at a time. */
export interface Background {
  isRunning(): boolean;
  /** Starts a condensation of the log as it is. Returns false, and starts none, where one is running or not taken yet. */
  start(assessment: Assessment): boolean;
  /** Resolves when no condensation is running. Never rejects. */
  wait(): Promise<void>;
  /** Commits a finished condensation and resolves to its result, or to an error where the log was rewritten meanwhile. Undefined where none is finished. */
  take(): Promise<CondensationResult | undefined>;
}

interface Task {
  readonly prevContextTokens: number;
  readonly done: Promise<void>;
  finished: { readonly base: WholeLog; readonly result: CondensationResult } | undefined;
}

export function createBackground(session: LiveSession): Background {
  let task: Task | undefined;

  function start({ context }: Assessment): boolean {
    if (task !== undefined) return false;
    const started: Task = { prevContextTokens: context.prevContextTokens, finished: undefined, done: run() };
    task = started;
    return true;

    // Never rejects: nobody may be waiting, and an unhandled rejection would end the process.
    async function run(): Promise<void> {
      try {
        const base = await session.log.whole();
        const { messages } = base;
        const result = await condenseMessages(session, { messages, context }).catch((error: unknown) =>
          refuseCondensation(messages, { error: describeError(error), modelCalls: 1 }),
        );
        started.finished = { base, result };
      } catch {
        // The log could not be read. The next operation that reads it gets the error.
        task = undefined;
      }
    }
  }

  async function take(): Promise<CondensationResult | undefined> {
    if (task?.finished === undefined) return undefined;
    const { base, result } = task.finished;
    const { prevContextTokens } = task;
    task = undefined;
    const isCommitted = result.error === undefined && (await session.log.commit(base, result.messages));
    const outcome =
      isCommitted || result.error !== undefined ? result : discarded(result, (await session.log.whole()).messages);
    const isAborted = outcome !== result;
    recordCondensation(session, { messages: base.messages, result: outcome, prevContextTokens, isAborted });
    return outcome;
  }

  return {
    isRunning: () => task !== undefined && task.finished === undefined,
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
