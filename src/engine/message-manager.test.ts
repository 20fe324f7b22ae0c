import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../test/support/messages.ts";
import { condensed, PLAIN, said, shown, summary, times, truncated } from "../../test/support/task-histories.ts";
import type { UiMessage } from "../core/history/ui-messages.ts";
import type { Message } from "../core/message/message.ts";
import { MessageManager, type RewindableTask, type RewindMoment } from "./message-manager.ts";

type Call = "api" | "ui" | "files";

interface TestTask extends RewindableTask {
  clineMessages: readonly UiMessage[];
  apiConversationHistory: readonly Message[];
  /** What was called, in order. */
  readonly calls: Call[];
  readonly moments: RewindMoment[];
}

/** A task in memory; each call that `fails` says so rejects and changes nothing. */
function memoryTask({ ui, api } = PLAIN, fails: (call: Call, calls: readonly Call[]) => boolean = () => false) {
  const attempt = async (call: Call) => {
    task.calls.push(call);
    // As slow as a disk, so that rewinds which are not awaited would meet.
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (fails(call, task.calls)) throw new Error(`${call} failed`);
  };
  const task: TestTask = {
    clineMessages: deepFreeze([...ui]),
    apiConversationHistory: deepFreeze([...api]),
    calls: [],
    moments: [],
    async overwriteClineMessages(messages) {
      await attempt("ui");
      task.clineMessages = messages;
    },
    async overwriteApiConversationHistory(messages) {
      await attempt("api");
      task.apiConversationHistory = messages;
    },
    async syncCheckpoint(moment) {
      await attempt("files");
      task.moments.push(moment);
    },
  };
  return task;
}

const state = ({ clineMessages, apiConversationHistory }: RewindableTask) => [
  times(clineMessages),
  times(apiConversationHistory),
];
const WHOLE = [
  [100, 200, 300, 400],
  [100, 200, 300, 400],
];

describe("rewinding a task", () => {
  test("to a time deletes the message with all that followed, then tells the files' moment", async () => {
    const task = memoryTask();
    await new MessageManager(task).rewindToTimestamp(300);
    expect(state(task)).toEqual([
      [100, 200],
      [100, 200],
    ]);
    expect(task.calls).toEqual(["api", "ui", "files"]);
    expect(task.moments).toEqual([{ ts: 300, includesTarget: false }]);
  });

  test("to an index keeps so many UI messages", async () => {
    const task = memoryTask();
    await new MessageManager(task).rewindToIndex(1);
    expect(state(task)).toEqual([[100], [100]]);
    expect(task.moments).toEqual([{ ts: 200, includesTarget: false }]);
  });

  test("can keep the target for the person, to be edited", async () => {
    const [byTime, byIndex] = [memoryTask(), memoryTask()];
    await new MessageManager(byTime).rewindToTimestamp(300, { includeTargetMessage: true });
    await new MessageManager(byIndex).rewindToIndex(2, { includeTargetMessage: true });
    const expected = [
      [100, 200, 300],
      [100, 200],
    ];
    expect([state(byTime), state(byIndex)]).toEqual([expected, expected]);
    expect(byTime.moments).toEqual([{ ts: 300, includesTarget: true }]);
  });

  test("undoes the folds that were made later, and tidies up unless told not to", async () => {
    const histories = {
      ui: [shown(100), shown(300), condensed(350, "k1"), shown(400), truncated(450, "t1")],
      api: [
        said(100, "user"),
        said(200, "assistant", { condenseParent: "k1" }),
        summary(299, "k1"),
        said(300, "user", { truncationParent: "t1" }),
      ],
    };
    const [tidy, untidy] = [memoryTask(histories), memoryTask(histories)];
    await new MessageManager(tidy).rewindToTimestamp(300);
    await new MessageManager(untidy).rewindToIndex(1, { skipCleanup: true });
    expect(tidy.apiConversationHistory).toEqual([said(100, "user"), said(200, "assistant")]);
    expect(untidy.apiConversationHistory).toEqual(histories.api.slice(0, 2));
  });

  test("needs no files to take back", async () => {
    const { syncCheckpoint: _, ...task } = memoryTask();
    await expect(new MessageManager(task).rewindToTimestamp(200)).resolves.toBeUndefined();
  });
});

describe("what did not change is not written", () => {
  test("the API history, when only the person saw what is removed", async () => {
    const task = memoryTask({ ui: [...PLAIN.ui, shown(500, "api_req_started")], api: PLAIN.api });
    await new MessageManager(task).rewindToTimestamp(500);
    expect(task.calls).toEqual(["ui", "files"]);
  });

  test("the UI history, when its last message is edited", async () => {
    const task = memoryTask();
    await new MessageManager(task).rewindToTimestamp(400, { includeTargetMessage: true });
    expect(task.calls).toEqual(["api", "files"]);
  });

  test("nothing at all, when all messages stay", async () => {
    const [task, empty] = [memoryTask(), memoryTask({ ui: [], api: [] })];
    await new MessageManager(task).rewindToIndex(4);
    await new MessageManager(empty).rewindToIndex(0);
    expect([task.calls, empty.calls]).toEqual([[], []]);
  });
});

describe("a rewind that cannot be", () => {
  test.each([999, 0, -1])("the unknown time %d is named, and nothing is written", async (ts) => {
    const task = memoryTask();
    const rewinding = new MessageManager(task).rewindToTimestamp(ts);
    await expect(rewinding).rejects.toMatchObject({ code: "not-found", message: expect.stringContaining(`${ts}`) });
    expect(task.calls).toEqual([]);
  });

  test("a time that is none, and an index out of range, are refused", async () => {
    const manager = new MessageManager(memoryTask());
    await expect(manager.rewindToTimestamp(Number.NaN)).rejects.toMatchObject({ code: "invalid-argument" });
    for (const index of [-1, 5, 0.5]) {
      await expect(manager.rewindToIndex(index)).rejects.toMatchObject({ code: "invalid-argument" });
    }
    const keeping = manager.rewindToIndex(4, { includeTargetMessage: true });
    await expect(keeping).rejects.toMatchObject({ code: "invalid-argument" });
  });

  test("a task without its functions is refused at once", () => {
    const { overwriteClineMessages: _, ...rest } = memoryTask();
    const broken: RewindableTask = JSON.parse(JSON.stringify(rest));
    expect(() => new MessageManager(broken)).toThrow("task.overwriteClineMessages is undefined");
  });
});

describe("when a write fails", () => {
  test("of the API history, nothing was done", async () => {
    const task = memoryTask(PLAIN, (call) => call === "api");
    await expect(new MessageManager(task).rewindToTimestamp(300)).rejects.toThrow("api failed");
    expect(state(task)).toEqual(WHOLE);
    expect(task.calls).toEqual(["api"]);
  });

  test("of the UI history, the API history is put back", async () => {
    const task = memoryTask(PLAIN, (call) => call === "ui");
    await expect(new MessageManager(task).rewindToTimestamp(300)).rejects.toThrow("ui failed");
    expect(state(task)).toEqual(WHOLE);
    expect(task.calls).toEqual(["api", "ui", "api"]);
  });

  test("of the files, both histories are put back, so that the rewind can be repeated", async () => {
    const task = memoryTask(PLAIN, (call, calls) => call === "files" && calls.length === 3);
    const manager = new MessageManager(task);
    await expect(manager.rewindToTimestamp(300)).rejects.toThrow("files failed");
    expect(state(task)).toEqual(WHOLE);
    await manager.rewindToTimestamp(300);
    expect(task.moments).toEqual([{ ts: 300, includesTarget: false }]);
  });

  test("and putting back fails too, both reasons are told, and the target is still there to repeat it", async () => {
    let isBroken = true;
    const task = memoryTask(PLAIN, (call, calls) => isBroken && (call === "ui" || calls.length === 3));
    const manager = new MessageManager(task);
    const failure: unknown = await manager.rewindToTimestamp(300).catch((error) => error);
    expect(failure).toBeInstanceOf(AggregateError);
    expect(failure).toMatchObject({ errors: [{ message: "ui failed" }, { message: "api failed" }] });
    isBroken = false;
    await manager.rewindToTimestamp(300);
    expect(state(task)).toEqual([
      [100, 200],
      [100, 200],
    ]);
  });

  test("of the files, and the UI history cannot be put back, the API history stays with it", async () => {
    const task = memoryTask(PLAIN, (call, calls) => call === "files" || (call === "ui" && calls.length > 2));
    await expect(new MessageManager(task).rewindToTimestamp(300)).rejects.toBeInstanceOf(AggregateError);
    expect(state(task)).toEqual([
      [100, 200],
      [100, 200],
    ]);
  });

  test("a task that overwrites its arrays in place gets back what they held", async () => {
    const [clineMessages, apiConversationHistory] = [[...PLAIN.ui], [...PLAIN.api]];
    const task: RewindableTask = {
      clineMessages,
      apiConversationHistory,
      overwriteClineMessages: () => Promise.reject(new Error("ui failed")),
      async overwriteApiConversationHistory(messages) {
        apiConversationHistory.splice(0, apiConversationHistory.length, ...messages);
      },
    };
    await expect(new MessageManager(task).rewindToTimestamp(300)).rejects.toThrow("ui failed");
    expect(state(task)).toEqual(WHOLE);
  });
});

test("rewinds that are not awaited run one after the other, also after one that fails", async () => {
  const task = memoryTask();
  const manager = new MessageManager(task);
  const outcomes = await Promise.allSettled([
    manager.rewindToTimestamp(400),
    manager.rewindToTimestamp(400),
    manager.rewindToTimestamp(200),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(state(task)).toEqual([[100], [100]]);
  expect(task.calls).toEqual(["api", "ui", "files", "api", "ui", "files"]);
});
