import type { CondensationContext, CondensationResult } from "../../core/ports/condensation.ts";
import { condenseMessages, type LiveSession, recordCondensation, type Situation } from "./live-session.ts";
import type { LogState } from "./session-log.ts";

/** Condenses ahead of need, one condensation at a time. */
export interface Background {
  isRunning(): boolean;
  /** Starts a condensation of the log as it is; does nothing while one is under way. */
  start(situation: Situation): void;
  /** Waits for the one under way, if there is one. */
  wait(): Promise<void>;
  /** Puts a finished condensation in place; undefined where there is none. One whose log was rewritten is discarded. */
  take(): CondensationResult | undefined;
}

interface Task {
  readonly base: LogState;
  readonly context: CondensationContext;
  readonly done: Promise<void>;
  result: CondensationResult | undefined;
}

export function createBackground(session: LiveSession): Background {
  let task: Task | undefined;

  function start({ context }: Situation): void {
    if (task !== undefined) return;
    const base = session.log.state();
    const started: Task = {
      base,
      context,
      result: undefined,
      done: condenseMessages(session, { messages: base.messages, context }).then((result) => {
        started.result = result;
      }),
    };
    task = started;
  }

  function take(): CondensationResult | undefined {
    if (task?.result === undefined) return undefined;
    const { base, context, result } = task;
    task = undefined;
    if (result.error === undefined) {
      if (!session.log.commit(base, result.messages)) {
        const error =
          "The conversation was rewritten while it was condensed in the background; the result is discarded.";
        return { messages: session.log.messages(), summary: "", cost: result.cost, error };
      }
      session.meter().rewritten();
    }
    recordCondensation(session, base.messages, { result, context });
    return result;
  }

  return {
    isRunning: () => task !== undefined && task.result === undefined,
    start,
    take,
    wait: async () => task?.done,
  };
}
