import type { Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { serialize } from "../../core/tokens/serialize.ts";

/** Counts failed condensations of one conversation in a row, so that not every turn pays for another failure. */
export interface BackOff {
  /** True after a failure, until the conversation has grown enough for another attempt. `messages` is called only after a failure. */
  isWaiting(messages: () => readonly Message[]): boolean;
  record(messages: readonly Message[], result: CondensationResult): void;
}

const FIRST_WAIT_MESSAGES = 4;
const LONGEST_WAIT_MESSAGES = 64;

/** Whether a result counts as a failure for a back-off. */
type Verdict = (result: CondensationResult) => "failed" | "worked" | "not-tried";

/** A refusal before any model was asked cost nothing: it may be tried again at once. */
const modelVerdict: Verdict = ({ error, modelError, modelCalls = 1 }) => {
  if (modelCalls === 0) return "not-tried";
  return error === undefined && modelError === undefined ? "worked" : "failed";
};

const anyVerdict: Verdict = ({ error }) => (error === undefined ? "worked" : "failed");

/** The back-off of condensers that ask a model. It counts messages, not minutes, so that the same conversation always gives the same result. */
export function createBackOff(): BackOff {
  return backOffBy(modelVerdict);
}

/** The back-off of condensers that ask none: they are free, but not worth a try each turn where nothing can be gained. */
export function createLocalBackOff(): BackOff {
  return backOffBy(anyVerdict);
}

function backOffBy(verdictOn: Verdict): BackOff {
  let failures = 0;
  let failedAt = { length: 0, goal: "" };

  function waitMessages(): number {
    return Math.min(LONGEST_WAIT_MESSAGES, FIRST_WAIT_MESSAGES * 2 ** (failures - 1));
  }

  return {
    isWaiting: (read) => {
      if (failures === 0) return false;
      const messages = read();
      const grown = messages.length - failedAt.length;
      // A conversation that is shorter or has another first message was rewound or begun anew: the failure was not about it.
      return grown >= 0 && grown < waitMessages() && goalOf(messages) === failedAt.goal;
    },
    record: (messages, result) => {
      const verdict = verdictOn(result);
      if (verdict === "worked") failures = 0;
      if (verdict === "failed") {
        failures += 1;
        failedAt = { length: messages.length, goal: goalOf(messages) };
      }
    },
  };
}

/** The first message as text, to compare conversations by value: callers that store their messages read new objects each turn. */
function goalOf([first]: readonly Message[]): string {
  return serialize(first?.content);
}

const backOffs = new WeakMap<ModelHandler, Map<string, BackOff>>();
const MAX_TASKS = 1_000;

/** The back-off of a condensing handler and task, for callers that keep no state of their own. */
export function sharedBackOff(handler: ModelHandler, taskId: string): BackOff {
  const tasks = backOffs.get(handler) ?? new Map<string, BackOff>();
  backOffs.set(handler, tasks);
  const backOff = tasks.get(taskId) ?? createBackOff();
  tasks.delete(taskId);
  tasks.set(taskId, backOff);
  const [oldest] = tasks.keys();
  if (tasks.size > MAX_TASKS && oldest !== undefined) tasks.delete(oldest);
  return backOff;
}
