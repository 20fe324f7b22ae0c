import { expect, test } from "vitest";
import { assistant, chat, condense, ids, log, tag, talk, user } from "../../../../test/support/messages.ts";
import { getMessagesSinceLastSummary } from "./since-last-summary.ts";

test("without a summary, these are all messages", () => {
  const messages = chat(4);
  expect(getMessagesSinceLastSummary(messages)).toBe(messages);
  expect(getMessagesSinceLastSummary([])).toEqual([]);
});

test("they begin with the newest summary, after the first message of the user", () => {
  const once = condense(chat(8), "s1", ["m1", "m2"]);
  expect(ids(getMessagesSinceLastSummary(once))).toEqual(["m0", "s1", "m3", "m4", "m5", "m6", "m7"]);
  const twice = condense(once, "s2", ["s1", "m3", "m4"]);
  expect(ids(getMessagesSinceLastSummary(twice))).toEqual(["m0", "s2", "m5", "m6", "m7"]);
});

test("a log that begins with the assistant gives its first message of the user, not its first message", () => {
  const greeted = log(assistant("How can I help?"), ...talk(7));
  expect(ids(getMessagesSinceLastSummary(condense(greeted, "s1", ["m2", "m3"])))).toEqual([
    "m1",
    "s1",
    "m4",
    "m5",
    "m6",
    "m7",
  ]);
  expect(ids(getMessagesSinceLastSummary(condense(greeted, "s1", ["m1", "m2"])))).toEqual([
    "s1",
    "m3",
    "m4",
    "m5",
    "m6",
    "m7",
  ]);
});

test("a first message that a summary or a marker stands for is not put before them again", () => {
  const condensed = condense(chat(4), "s1", ["m0", "m1"]);
  expect(ids(getMessagesSinceLastSummary(condensed))).toEqual(["s1", "m2", "m3"]);
  const nested = condense(condensed, "s2", ["s1", "m2"]);
  expect(ids(getMessagesSinceLastSummary(nested))).toEqual(["s2", "m3"]);
  const orphaned = condensed.map((message) => (message.id === "m0" ? { ...message, condenseParent: "gone" } : message));
  expect(ids(getMessagesSinceLastSummary(orphaned))).toEqual(["m0", "s1", "m2", "m3"]);
});

test("a snapshot comes with the reply to it", () => {
  const fields = { isSummary: true, condenseId: "s1" };
  const messages = [
    ...chat(2),
    tag(user("<state_snapshot>"), { id: "s1", ...fields }),
    tag(assistant("noted"), { id: "s1-reply", ...fields }),
    user("next"),
  ];
  expect(ids(getMessagesSinceLastSummary(messages))).toEqual(["m0", "s1", "s1-reply", undefined]);
});

test("a summary without an id, as Roo Code wrote them, and a plain snapshot are summaries", () => {
  const summary = tag(assistant("no id"), { isSummary: true });
  const next = user("next");
  const messages = [...chat(4), summary, next];
  expect(getMessagesSinceLastSummary(messages)).toEqual([messages[0], summary, next]);
  const snapshot = user("<state_snapshot>all of it</state_snapshot>");
  expect(getMessagesSinceLastSummary([snapshot, assistant("noted"), next])).toEqual([
    snapshot,
    assistant("noted"),
    next,
  ]);
});
