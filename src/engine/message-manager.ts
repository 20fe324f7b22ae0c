import { assertFunction, assertObject } from "../core/assert.ts";
import { describeError } from "../core/describe-error.ts";
import { type RewindOptions, rewindHistories, type TaskHistories } from "../core/history/rewind-histories.ts";
import { checkUiMessages, findUiMessage, type UiMessage } from "../core/history/ui-messages.ts";
import type { Message } from "../core/message/message.ts";
import { createQueue } from "./queue.ts";

/** A task whose two histories can be taken back to an earlier moment. */
export interface RewindableTask extends TaskHistories {
  /** Replaces the messages that the person saw. Where it rejects, it must not have changed them. */
  overwriteClineMessages(messages: readonly UiMessage[]): Promise<void>;
  /** Replaces the messages that the model saw. Where it rejects, it must not have changed them. */
  overwriteApiConversationHistory(messages: readonly Message[]): Promise<void>;
  /** Takes the workspace files back to the same moment, after both histories. @default files stay */
  syncCheckpoint?(moment: RewindMoment): Promise<void>;
}

/** The moment that a task was taken back to. */
export interface RewindMoment {
  /** The time of the UI message that the task was taken back to. */
  readonly ts: number;
  /** Whether that message stays: then the moment is right after it, otherwise right before. */
  readonly includesTarget: boolean;
}

/** One write, and how to undo it. */
interface Step {
  readonly run: () => Promise<void>;
  readonly undo: () => Promise<void>;
}

/**
 * Rewinds both histories of a task together. A manager runs one rewind at a time; the task itself must not write to its histories meanwhile.
 * @example
 * ```ts
 * import { type Message, MessageManager, type UiMessage } from "palimpsest/compat";
 * const task = {
 *   clineMessages: [{ ts: 1, say: "text" }, { ts: 2, say: "text" }] as readonly UiMessage[],
 *   apiConversationHistory: [{ role: "user", content: "Begin.", ts: 1 }, { role: "user", content: "Go on.", ts: 2 }] as readonly Message[],
 *   overwriteClineMessages: async (messages: readonly UiMessage[]) => void (task.clineMessages = messages),
 *   overwriteApiConversationHistory: async (messages: readonly Message[]) => void (task.apiConversationHistory = messages),
 * };
 * await new MessageManager(task).rewindToTimestamp(2);
 * console.log(task.clineMessages.length, task.apiConversationHistory.length); // 1 1
 * ```
 */
export class MessageManager {
  readonly #task: RewindableTask;
  readonly #enqueue = createQueue();

  constructor(task: RewindableTask) {
    assertObject("task", task);
    assertFunction("task.overwriteClineMessages", task.overwriteClineMessages);
    assertFunction("task.overwriteApiConversationHistory", task.overwriteApiConversationHistory);
    if (task.syncCheckpoint !== undefined) assertFunction("task.syncCheckpoint", task.syncCheckpoint);
    this.#task = task;
  }

  /** Goes back to the first UI message with this time. Throws "not-found" where there is none. */
  rewindToTimestamp(ts: number, options: RewindOptions = {}): Promise<void> {
    return this.#enqueue(async () => {
      const { clineMessages } = this.#task;
      checkUiMessages("clineMessages", clineMessages);
      await this.#rewind(findUiMessage(clineMessages, ts), options);
    });
  }

  /** Goes back to the UI message at this index, which stays only with `includeTargetMessage`. */
  rewindToIndex(index: number, options: RewindOptions = {}): Promise<void> {
    return this.#enqueue(() => this.#rewind(index, options));
  }

  async #rewind(targetIndex: number, options: RewindOptions): Promise<void> {
    assertObject("options", options);
    const task = this.#task;
    const { clineMessages, apiConversationHistory } = task;
    const before = { clineMessages, apiConversationHistory };
    const after = rewindHistories(before, { ...options, targetIndex });
    const target = clineMessages[targetIndex];
    const moment = target && { ts: target.ts, includesTarget: options.includeTargetMessage === true };
    // A crash between the two writes must leave what the same rewind needs to be repeated: the target, and the events that
    // name the folds to undo. Both are in the UI history, so that one is cut last.
    await runAll([
      ...overwriting(before.apiConversationHistory, after.apiConversationHistory, (messages) =>
        task.overwriteApiConversationHistory(messages),
      ),
      ...overwriting(before.clineMessages, after.clineMessages, (messages) => task.overwriteClineMessages(messages)),
      ...(moment === undefined ? [] : [{ run: async () => task.syncCheckpoint?.(moment), undo: async () => {} }]),
    ]);
  }
}

/** The step that overwrites a history; none where nothing changes. */
function overwriting<Item>(
  before: readonly Item[],
  after: readonly Item[],
  overwrite: (items: readonly Item[]) => Promise<void>,
): readonly Step[] {
  if (before === after) return [];
  // A task may overwrite its array in place.
  const copy = [...before];
  return [{ run: () => overwrite(after), undo: () => overwrite(copy) }];
}

/** Runs all steps. Where one fails, undoes those before it, the last one first, and throws its error. */
async function runAll(steps: readonly Step[]): Promise<void> {
  const done: Step[] = [];
  try {
    for (const step of steps) {
      await step.run();
      done.push(step);
    }
  } catch (error) {
    await undoAll(done.toReversed(), error);
    throw error;
  }
}

async function undoAll(steps: readonly Step[], reason: unknown): Promise<void> {
  try {
    for (const step of steps) await step.undo();
  } catch (error) {
    throw new AggregateError(
      [reason, error],
      `The rewind failed (${describeError(reason)}), and what it had written could not be put back (${describeError(error)}). ` +
        "The two histories may be of different moments. The rewind can be repeated while clineMessages holds its target.",
    );
  }
}
