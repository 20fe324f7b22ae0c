import { expect, test } from "vitest";
import { shown } from "../../../test/support/task-histories.ts";
import { findUiMessage } from "./ui-messages.ts";

const EVENTS = [shown(100), shown(200), shown(200), shown(300)];

test("is found by its time; of several, the first", () => {
  expect([100, 200, 300].map((ts) => findUiMessage(EVENTS, ts))).toEqual([0, 1, 3]);
});

test("that is not there is refused, with what to do about it", () => {
  expect(() => findUiMessage(EVENTS, 250)).toThrow(
    expect.objectContaining({
      code: "not-found",
      message: expect.stringMatching(/timestamp 250\. Pass the ts of one of them, or use rewindToIndex/),
    }),
  );
});
