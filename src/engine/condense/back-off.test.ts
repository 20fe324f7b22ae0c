import { describe, expect, test } from "vitest";
import { good, handler } from "../../../test/support/handlers.ts";
import { chat, text, user } from "../../../test/support/messages.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { createBackOff, sharedBackOff } from "./back-off.ts";

const outcome = (fields: Partial<CondensationResult>): CondensationResult => ({
  messages: [],
  summary: "",
  cost: 0,
  ...fields,
});
const FAILED = outcome({ error: "overloaded", modelCalls: 1 });
const SUCCEEDED = outcome({ condenseId: "c", modelCalls: 1 });

/** How many messages later another attempt is made. */
function waitAfter(backOff: ReturnType<typeof createBackOff>, length: number): number {
  let more = 0;
  while (backOff.isWaiting(() => chat(length + more))) more += 1;
  return more;
}

test("before any failure there is no wait", () => {
  expect(createBackOff().isWaiting(() => chat(10))).toBe(false);
});

test("each failure in a row doubles the wait, up to a limit", () => {
  const backOff = createBackOff();
  const waits = Array.from({ length: 7 }, () => {
    backOff.record(chat(10), FAILED);
    return waitAfter(backOff, 10);
  });
  expect(waits).toEqual([4, 8, 16, 32, 64, 64, 64]);
});

test("a success ends it", () => {
  const backOff = createBackOff();
  backOff.record(chat(10), FAILED);
  backOff.record(chat(20), SUCCEEDED);
  expect(backOff.isWaiting(() => chat(20))).toBe(false);
  backOff.record(chat(20), FAILED);
  expect(waitAfter(backOff, 20)).toBe(4);
});

test("what was refused before a model was asked is no failure", () => {
  const backOff = createBackOff();
  backOff.record(chat(10), outcome({ error: "not enough messages", modelCalls: 0 }));
  expect(backOff.isWaiting(() => chat(10))).toBe(false);
});

test("a plugin that does not count its calls has asked once", () => {
  const backOff = createBackOff();
  backOff.record(chat(10), outcome({ error: "broken" }));
  expect(backOff.isWaiting(() => chat(10))).toBe(true);
});

describe("is about one conversation", () => {
  test("also where its messages are read from storage each turn", () => {
    const stored = (length: number): readonly Message[] =>
      JSON.parse(JSON.stringify([user(text("The goal."), text("More.")), ...chat(length)]));
    const backOff = createBackOff();
    backOff.record(stored(10), FAILED);
    expect(backOff.isWaiting(() => stored(11))).toBe(true);
  });

  test("not about another one, or one that was rewound", () => {
    const backOff = createBackOff();
    backOff.record(chat(10), FAILED);
    expect(backOff.isWaiting(() => [user("Another goal."), ...chat(10)])).toBe(false);
    expect(backOff.isWaiting(() => chat(9))).toBe(false);
  });
});

describe("callers without a memory of their own share one", () => {
  test("for each handler and task", () => {
    const [one, other] = [handler(good), handler(good)];
    sharedBackOff(one, "task").record(chat(10), FAILED);
    expect(sharedBackOff(one, "task").isWaiting(() => chat(10))).toBe(true);
    expect(sharedBackOff(one, "another task").isWaiting(() => chat(10))).toBe(false);
    expect(sharedBackOff(other, "task").isWaiting(() => chat(10))).toBe(false);
  });

  test("that forgets the tasks that were not seen for longest", () => {
    const model = handler(good);
    const kept = sharedBackOff(model, "kept");
    const forgotten = sharedBackOff(model, "forgotten");
    for (let task = 0; task < 999; task++) {
      sharedBackOff(model, `task ${task}`);
      sharedBackOff(model, "kept");
    }
    expect(sharedBackOff(model, "kept")).toBe(kept);
    expect(sharedBackOff(model, "forgotten")).not.toBe(forgotten);
  });
});
