import { expect, test } from "vitest";
import { assistant, chat, condense, ids, tag, user } from "../../../../test/support/messages.ts";
import { getMessagesSinceLastSummary } from "./since-last-summary.ts";

test("without a summary, these are all messages", () => {
  const messages = chat(4);
  expect(getMessagesSinceLastSummary(messages)).toBe(messages);
  expect(getMessagesSinceLastSummary([])).toEqual([]);
});

test("they begin with the newest summary", () => {
  const once = condense(chat(8), "s1", ["m1", "m2"]);
  expect(ids(getMessagesSinceLastSummary(once))).toEqual(["s1", "m3", "m4", "m5", "m6", "m7"]);
  const twice = condense(once, "s2", ["s1", "m3", "m4"]);
  expect(ids(getMessagesSinceLastSummary(twice))).toEqual(["s2", "m5", "m6", "m7"]);
});

test("a snapshot comes with the reply to it", () => {
  const fields = { isSummary: true, condenseId: "s1" };
  const messages = [
    ...chat(2),
    tag(user("<state_snapshot>"), { id: "s1", ...fields }),
    tag(assistant("noted"), { id: "s1-reply", ...fields }),
    user("next"),
  ];
  expect(ids(getMessagesSinceLastSummary(messages))).toEqual(["s1", "s1-reply", undefined]);
});

test("a message that only claims to be a summary is none", () => {
  const messages = [...chat(2), tag(assistant("no id"), { isSummary: true }), user("next")];
  expect(getMessagesSinceLastSummary(messages)).toBe(messages);
});
