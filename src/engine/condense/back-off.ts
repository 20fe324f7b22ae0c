import type { Content, Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";

/** Remembers failed condensations of one conversation, so that not every turn pays for another failure. */
export interface BackOff {
  /** True until the conversation has grown enough for another attempt. */
  isWaiting(messages: readonly Message[]): boolean;
  record(messages: readonly Message[], result: CondensationResult): void;
}

const FIRST_WAIT_MESSAGES = 4;
const LONGEST_WAIT_MESSAGES = 64;

/** Counts messages, not minutes: the same conversation always does the same. */
export function createBackOff(): BackOff {
  let failures = 0;
  let failedAt: { readonly length: number; readonly goal: Content | undefined } = { length: 0, goal: undefined };

  function waitMessages(): number {
    return Math.min(LONGEST_WAIT_MESSAGES, FIRST_WAIT_MESSAGES * 2 ** (failures - 1));
  }

  return {
    isWaiting: (messages) => {
      const grown = messages.length - failedAt.length;
      // A shorter or another conversation was rewound or begun anew: what failed then tells nothing about it.
      const isSame = grown >= 0 && messages[0]?.content === failedAt.goal;
      return failures > 0 && isSame && grown < waitMessages();
    },
    record: (messages, { error, modelCalls = 1 }) => {
      if (error === undefined) failures = 0;
      // What was refused before any model was asked cost nothing, and may be tried again at once.
      else if (modelCalls > 0) {
        failures += 1;
        failedAt = { length: messages.length, goal: messages[0]?.content };
      }
    },
  };
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
