import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import type { Message } from "./message.ts";
import { detectPairs, getPairPartner, hasOpenToolUse } from "./tool-pairs.ts";

/** Each pair as "id: call message → result message". */
function outline(messages: readonly Message[]): readonly string[] {
  return detectPairs(messages).map(
    ({ toolUseId, call: { messageIndex }, result: answer }) =>
      `${toolUseId}: ${messageIndex} → ${answer?.messageIndex ?? "open"}`,
  );
}

describe("detectPairs", () => {
  test.each<[string, readonly Message[], readonly string[]]>([
    ["nothing in plain talk", [user("hi"), assistant("hello")], []],
    ["a call and its result", [assistant(call("a")), user(result("a"))], ["a: 0 → 1"]],
    [
      "parallel calls, whatever the order of their results",
      [assistant("so", call("a"), call("b")), user(result("b"), result("a"))],
      ["a: 0 → 1", "b: 0 → 1"],
    ],
    [
      "results spread over several user messages",
      [assistant(call("a"), call("b")), user(result("b")), user(result("a"), "next")],
      ["a: 0 → 2", "b: 0 → 1"],
    ],
    [
      "an id that is used again in a later turn",
      [assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
      ["a: 0 → 1", "a: 2 → 3"],
    ],
    [
      "an id that is used again after an interrupted call",
      [assistant(call("a")), user("stop"), assistant(call("a")), user(result("a"))],
      ["a: 0 → open", "a: 2 → 3"],
    ],
    ["a call without result", [assistant(call("a"), call("b")), user(result("a"))], ["a: 0 → 1", "b: 0 → open"]],
    ["no call for an orphan result", [user(result("a")), assistant("hm")], []],
    ["no answer from a result before its call", [user(result("a")), assistant(call("a"))], ["a: 1 → open"]],
    ["only the first of two results", [assistant(call("a")), user(result("a")), user(result("a"))], ["a: 0 → 1"]],
    [
      "no answer in a block of another type that names the call",
      [assistant(call("a")), user({ type: "custom_result", tool_use_id: "a" }), user(result("a"))],
      ["a: 0 → 2"],
    ],
    [
      "ids that are names of object members",
      [assistant(call("__proto__")), user(result("__proto__"))],
      ["__proto__: 0 → 1"],
    ],
  ])("finds %s", (_, messages, expected) => {
    expect(outline(messages)).toEqual(expected);
  });

  test("refuses what are no messages", () => {
    const notMessages: never[] = JSON.parse('[{"role":"user"}]');
    expect(() => detectPairs(notMessages)).toThrow(expect.objectContaining({ code: "invalid-message" }));
  });

  test("hands back the very messages and blocks", () => {
    const messages = log(assistant("so", call("a")), user("meanwhile", result("a")));
    const [pair] = detectPairs(messages);
    expect(pair?.call.message).toBe(messages[0]);
    expect(pair?.call.block).toBe(messages[0]?.content[1]);
    expect(pair?.result?.message).toBe(messages[1]);
    expect(pair?.result?.block).toBe(messages[1]?.content[1]);
  });
});

describe("asking about one message", () => {
  const asked = user("go");
  const called = assistant(call("a"), call("b"), call("c"));
  const answeredB = user(result("b"));
  const answeredA = user(result("a"), "go on");
  const orphan = user(result("x"));
  const pairs = detectPairs([asked, called, answeredB, answeredA, orphan]);

  test("hasOpenToolUse is true only for a message with an unanswered call", () => {
    expect(hasOpenToolUse(called, pairs)).toBe(true);
    for (const message of [asked, answeredA, answeredB, orphan]) expect(hasOpenToolUse(message, pairs)).toBe(false);
    const answered = detectPairs([called, answeredB, answeredA, user(result("c"))]);
    expect(hasOpenToolUse(called, answered)).toBe(false);
  });

  test("getPairPartner finds the other half from either side", () => {
    expect(getPairPartner(called, pairs)).toBe(answeredA);
    expect(getPairPartner(called, pairs, "b")).toBe(answeredB);
    expect(getPairPartner(answeredA, pairs)).toBe(called);
    expect(getPairPartner(answeredB, pairs, "b")).toBe(called);
  });

  test("getPairPartner is undefined where there is no other half", () => {
    expect(getPairPartner(called, pairs, "c")).toBeUndefined();
    expect(getPairPartner(called, pairs, "x")).toBeUndefined();
    expect(getPairPartner(answeredA, pairs, "b")).toBeUndefined();
    expect(getPairPartner(asked, pairs)).toBeUndefined();
    expect(getPairPartner(orphan, pairs)).toBeUndefined();
  });
});
