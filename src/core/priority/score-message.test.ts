import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/support/cpu-time.ts";
import { assistant, call, chat, condense, ids, log, result, tag, text, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import { type PriorityRule, priorityLevel } from "./priority.ts";
import { scoreMessage, scoreMessages } from "./score-message.ts";

const OLD = { age: 20 };
const points = (message: Message, context: Parameters<typeof scoreMessage>[1] = OLD) =>
  Object.fromEntries(scoreMessage(message, context).reasons.map(({ rule, points }) => [rule, points]));

describe("scoreMessage gives", () => {
  test("10 points to the user and 5 to the assistant", () => {
    expect(points(user("hello"))).toEqual({ user: 10 });
    expect(points(assistant("hello"))).toEqual({ assistant: 5 });
  });

  test.each([
    [0, 20],
    [1, 19],
    [19, 1],
    [20, undefined],
    [500, undefined],
  ])("for recency, with %d messages after it, %s", (age, expected) => {
    expect(points(user("hello"), { age }).recent).toBe(expected);
  });

  test("15 for tools, on either side of a pair", () => {
    expect(points(assistant(call("t1")))).toEqual({ assistant: 5, tools: 15 });
    expect(points(user(result("t1")))).toEqual({ user: 10, tools: 15 });
  });

  test("25 for a keyword of the task, once, whatever form it is in", () => {
    const keywords = ["rotation", "JWT secret"];
    expect(points(user("rotations of rotation"), { age: 20, keywords })).toEqual({ user: 10, "task-keyword": 25 });
    expect(points(user("the secret of each jwt"), { age: 20, keywords })).toEqual({ user: 10, "task-keyword": 25 });
    expect(points(user("the secret garden"), { age: 20, keywords })).toEqual({ user: 10 });
  });

  test("25 for a keyword that only a call or a result has", () => {
    const context = { age: 20, keywords: ["billing"] };
    expect(points(assistant(call("t1", "read_file", { path: "src/billing.ts" })), context)["task-keyword"]).toBe(25);
    expect(points(user(result("t1", "billing failed")), context)["task-keyword"]).toBe(25);
  });

  test("30 for a person's mark", () => {
    expect(points(tag(user("hello"), { important: true }))).toEqual({ user: 10, "marked-important": 30 });
    expect(points(tag(user("hello"), { important: false }))).toEqual({ user: 10 });
  });

  test("20 for a decision that was said, not for one that a tool returned", () => {
    expect(points(assistant("We decided to use SQLite."))).toEqual({ assistant: 5, decision: 20 });
    expect(points(user(result("t1", "We decided to use SQLite.")))).toEqual({ user: 10, tools: 15 });
    expect(points(user(result("t1"), text("We decided to use SQLite."))).decision).toBe(20);
  });

  test("10 less to what is already condensed", () => {
    expect(points(tag(user("hello"), { condenseParent: "c1" }))).toEqual({ user: 10, condensed: -10 });
    expect(points(user("hello"), { age: 20, isCondensed: true })).toEqual({ user: 10, condensed: -10 });
  });

  test("the sum of all that applies", () => {
    const message = tag(user(text("We decided to fix the billing."), result("t1")), { important: true });
    const priority = scoreMessage(message, { age: 0, keywords: ["billing"] });
    expect(priority.score).toBe(10 + 20 + 15 + 25 + 30 + 20);
    expect(priority.level).toBe("critical");
    const rules: PriorityRule[] = ["user", "recent", "tools", "task-keyword", "marked-important", "decision"];
    expect(priority.reasons.map(({ rule }) => rule)).toEqual(rules);
  });

  test.each([-1, 0.5, Number.NaN])("refuses an age of %d", (age) => {
    expect(() => scoreMessage(user("hello"), { age })).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});

test.each([
  [120, "critical"],
  [70, "critical"],
  [69, "important"],
  [50, "important"],
  [49, "normal"],
  [30, "normal"],
  [29, "low"],
  [-5, "low"],
])("a score of %d is %s", (score, level) => {
  expect(priorityLevel(score)).toBe(level);
});

describe("scoreMessages", () => {
  test("counts the age from the newest message", () => {
    const scores = scoreMessages(chat(30)).map(({ score }) => score);
    expect(scores.slice(-2)).toEqual([10 + 19, 5 + 20]);
    expect(scores.slice(0, 2)).toEqual([10, 5]);
  });

  test("takes points from what a summary stands for, but not where that summary is gone", () => {
    const messages = condense(chat(4), "c1", ["m1"]);
    const condensed = (log: readonly Message[]) =>
      ids(log.filter((_, index) => scoreMessages(log)[index]?.reasons.some(({ rule }) => rule === "condensed")));
    expect(condensed(messages)).toEqual(["m1"]);
    expect(condensed(messages.filter(({ id }) => id !== "c1"))).toEqual([]);
  });

  test("has nothing to say about nothing", () => {
    expect(scoreMessages([])).toEqual([]);
  });

  test("refuses keywords that are no strings", () => {
    const keywords: never[] = JSON.parse("[1]");
    expect(() => scoreMessages(log(user("hello")), { keywords })).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: "keywords[0] is 1; it must be a string." }),
    );
  });

  test("keeps pace with long messages", () => {
    const messages = log(user("x".repeat(2_000_000)), assistant("haben nicht not decided ".repeat(50_000)));
    // quadratic time would be hours
    expect(cpuTimeMs(() => scoreMessages(messages, { keywords: ["billing"] }))).toBeLessThan(20_000);
  });
});
