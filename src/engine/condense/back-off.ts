import type { Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { serialize } from "../../core/tokens/serialize.ts";

/** Remembers failed condensations of one conversation, so that not every turn pays for another failure. */
export interface BackOff {
  /** True until the conversation has grown enough for another attempt. */
  isWaiting(messages: () => readonly Message[]): boolean;
  record(messages: readonly Message[], result: CondensationResult): void;
}

const FIRST_WAIT_MESSAGES = 4;
const LONGEST_WAIT_MESSAGES = 64;

/** What a result says about those that a back-off is kept for. */
type Verdict = (result: CondensationResult) => "failed" | "worked" | "not-tried";

/** What was refused before any model was asked cost nothing, and may be tried again at once. */
const modelVerdict: Verdict = ({ error, modelError, modelCalls = 1 }) => {
  if (modelCalls === 0) return "not-tried";
  return error === undefined && modelError === undefined ? "worked" : "failed";
};

const anyVerdict: Verdict = ({ error }) => (error === undefined ? "worked" : "failed");

/** For condensers that ask a model. Counts messages, not minutes: the same conversation always does the same. */
export function createBackOff(): BackOff {
  return backOffBy(modelVerdict);
}

/** For condensers that ask none: free, but not worth a try each turn where there is nothing to gain. */
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
      // A shorter or another conversation was rewound or begun anew: what failed then tells nothing about it.
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

/** By value: callers that store their messages read other objects back each turn. */
function goalOf([first]: readonly Message[]): string {
  return serialize(first?.content);
}

const backOffs = new WeakMap<ModelHandler, Map<string, BackOff>>();
const MAX_TASKS = 1_000;

/** For callers that keep no state of their own: one memory for each condensing handler and task. */
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
