import { describe, expect, test } from "vitest";
import type { Message } from "../../core/message/message.ts";
import { align, sameEnds } from "./align.ts";
import type { FingerprintedMessages } from "./log-facts.ts";

const OPENING: Message = { role: "user", content: "Fix the login test. It fails on Mondays." };
const CALL_ID = "toolu_01Jk7Qm2XvYd";
const CALL: Message = {
  role: "assistant",
  content: [{ type: "tool_use", id: CALL_ID, name: "read", input: { path: "login.ts" } }],
  keys: ["m:1", "c:1"],
};
const RESULT: Message = { role: "user", content: [{ type: "tool_result", tool_use_id: CALL_ID, content: "line 1" }] };
const ANSWER: Message = { role: "assistant", content: "It is the time zone." };
const THANKS: Message = { role: "user", content: "Thanks, please fix it" };

function spoken(...messages: readonly Message[]): FingerprintedMessages {
  return { messages, fingerprints: messages.map(({ role, content }) => JSON.stringify([role, content])) };
}

const compare = (log: FingerprintedMessages, sent: FingerprintedMessages, isSameAgent = false) =>
  align(log, sent, { isSameAgent });

describe("what was sent and a log", () => {
  test("the same conversation, and one that goes on, continue the log", () => {
    const log = spoken(OPENING, CALL, RESULT);
    expect(compare(log, log)).toEqual({ type: "continues", edited: [] });
    expect(compare(log, spoken(OPENING, CALL, RESULT, ANSWER, THANKS))).toEqual({ type: "continues", edited: [] });
    expect(compare(spoken(), log)).toEqual({ type: "continues", edited: [] });
  });

  test("a shorter one is the log's beginning", () => {
    expect(compare(spoken(OPENING, CALL, RESULT), spoken(OPENING))).toEqual({ type: "begins" });
  });

  test("a tool result in other words is the same message", () => {
    const cleared: Message = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: CALL_ID, content: "[gone]" }],
    };
    const sent = spoken(OPENING, CALL, cleared, ANSWER, THANKS);
    expect(compare(spoken(OPENING, CALL, RESULT), sent)).toEqual({ type: "continues", edited: [2] });
  });

  test("a reminder that comes and goes at the end of a message does not make another conversation", () => {
    const reminded: Message = { role: "user", content: `${THANKS.content}\n<reminder>be brief</reminder>` };
    const log = spoken(OPENING, CALL, RESULT, ANSWER, reminded);
    const sent = spoken(OPENING, CALL, RESULT, ANSWER, THANKS, ANSWER, RESULT);
    expect(compare(log, sent)).toEqual({ type: "continues", edited: [4] });
  });

  test("two conversations that only begin alike have nothing to do with each other", () => {
    const other: Message = { role: "assistant", content: [{ type: "tool_use", id: "t9", name: "read", input: {} }] };
    expect(compare(spoken(OPENING, CALL, RESULT), spoken(OPENING, other, RESULT))).toEqual({
      type: "unrelated",
      shared: 1,
    });
  });

  test("openings from one template are two conversations", () => {
    const [three, four] = ["3", "4"].map(
      (task): Message => ({ role: "user", content: `You are a worker. Do task ${task}.` }),
    );
    if (three === undefined || four === undefined) throw new Error("two openings");
    expect(compare(spoken(three), spoken(four), true)).toEqual({ type: "unrelated", shared: 0 });
    expect(compare(spoken(three, ANSWER), spoken(four, CALL, RESULT), true).type).toBe("unrelated");
  });

  test("an opening that the same agent sends again with more in it continues what has only begun", () => {
    const more: Message = { role: "user", content: `${OPENING.content} Today is Monday.` };
    const sent = spoken(more, CALL, RESULT);
    expect(compare(spoken(OPENING), sent, true)).toEqual({ type: "continues", edited: [0] });
    expect(compare(spoken(OPENING), sent, false).type).toBe("unrelated");
  });

  test("they part where the person went back and said something else", () => {
    const log = spoken(OPENING, CALL, RESULT, ANSWER, THANKS, ANSWER);
    const sent = spoken(OPENING, CALL, RESULT, ANSWER, { role: "user", content: "No. Look at the cache first!" });
    expect(compare(log, sent)).toEqual({ type: "diverges", shared: 4 });
  });

  test("ids that every conversation has prove nothing, and neither do short answers", () => {
    const call = (input: object): Message => ({
      role: "assistant",
      content: [{ type: "tool_use", id: "unnamed-call-0", name: "read", input }],
    });
    const result = (content: string): Message => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "unnamed-call-0", content }],
    });
    const log = spoken(OPENING, call({ path: "a" }), result("of a"));
    expect(compare(log, spoken(OPENING, call({ path: "b" }), result("of b"))).type).toBe("unrelated");
    expect(compare(log, spoken(OPENING, call({ path: "a" }), result("of b"))).type).toBe("unrelated");
    const [alpha, beta] = ["alpha", "beta"].map(
      (name): Message => ({ role: "user", content: `Please review ${name}.ts` }),
    );
    if (alpha === undefined || beta === undefined) throw new Error("two openings");
    expect(compare(spoken(alpha, ANSWER, THANKS), spoken(beta, ANSWER, THANKS)).type).toBe("unrelated");
  });

  test("a step that is asked about again with words added at its end is still the log's beginning", () => {
    const target: Message = {
      ...RESULT,
      content: [...(RESULT.content as readonly []), { type: "text", text: "Sum it up." }],
    };
    expect(compare(spoken(OPENING, CALL, RESULT, ANSWER, THANKS), spoken(OPENING, CALL, target))).toEqual({
      type: "begins",
    });
  });

  test("folds name blocks by their places, so a message with other blocks at these places is another one", () => {
    const standIn = { type: "tool_result", tool_use_id: CALL_ID, content: "[cleared]" };
    const folds = [{ foldId: "f", kind: "clear", blockIndex: 0, standIn, hiddenTokens: 5 }] as const;
    const log = spoken(OPENING, CALL, { ...RESULT, folds }, ANSWER);
    const results = RESULT.content as readonly [];
    const text = { type: "text", text: "and this" };
    const [behind, before] = [
      [...results, text],
      [text, ...results],
    ].map((content) => compare(log, spoken(OPENING, CALL, { role: "user", content }, ANSWER)));
    expect(behind).toEqual({ type: "continues", edited: [2] });
    expect(before).toEqual({ type: "diverges", shared: 2 });
  });

  test("a folded result in other words is the same one: its call names it", () => {
    const standIn = { type: "tool_result", tool_use_id: CALL_ID, content: "[cleared]" };
    const folds = [{ foldId: "f", kind: "clear", blockIndex: 0, standIn, hiddenTokens: 5 }] as const;
    const reworded: Message = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: CALL_ID, content: "[the agent cleared it]" }],
    };
    const log = spoken(OPENING, CALL, { ...RESULT, folds }, ANSWER);
    expect(compare(log, spoken(OPENING, CALL, reworded, ANSWER))).toEqual({ type: "continues", edited: [2] });
  });

  test("a folded text is the same one only word for word, the texts beside it also where they are nearly so", () => {
    const content = (...texts: readonly string[]) => texts.map((text) => ({ type: "text" as const, text }));
    const [clipped, beside] = ["All of the log file, line by line.", "What does it say about Monday?"];
    const standIn = { type: "text", text: "All of […]" };
    const folds = [{ foldId: "f", kind: "clip", blockIndex: 1, standIn, hiddenTokens: 5 }] as const;
    const log = spoken(OPENING, CALL, RESULT, { role: "user", content: content(beside, clipped), folds }, ANSWER);
    const compareWith = (...texts: readonly string[]) =>
      compare(log, spoken(OPENING, CALL, RESULT, { role: "user", content: content(...texts) }, ANSWER));
    expect(compareWith(`${beside} Be brief.`, clipped)).toEqual({ type: "continues", edited: [3] });
    expect(compareWith(beside, `${clipped} And its end.`)).toEqual({ type: "diverges", shared: 3 });
    expect(compareWith(beside)).toEqual({ type: "diverges", shared: 3 });
  });

  test.each<[string, (text: string) => unknown]>([
    ["a text", (text) => text],
    ["blocks", (text) => [{ type: "text", text }]],
  ])("a result whose call has no id of its own is known by what it says, as %s", (_, contentOf) => {
    const call: Message = {
      role: "assistant",
      content: [{ type: "tool_use", id: "unnamed-call-0", name: "read", input: {} }],
    };
    const result = (text: string): Message => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "unnamed-call-0", content: contentOf(text) }],
    });
    const log = spoken(OPENING, CALL, RESULT, call, result("The cache is cleared every Monday at noon."));
    const compareWith = (text: string) => compare(log, spoken(OPENING, CALL, RESULT, call, result(text), ANSWER));
    const longer = "The cache is cleared every Monday at noon. (Read again.)";
    expect(compareWith(longer)).toEqual({ type: "continues", edited: [4] });
    const another = `${"42 ".repeat(60)}lines, none of which is like it`;
    expect(compareWith(another)).toEqual({ type: "diverges", shared: 4 });
  });
});

test.each([
  ["abc-1-xyz", "abc-22-xyz", 4, 4],
  ["-xyz", "+xyz", 0, 3],
  ["abc", "xyz", 0, 0],
  ["", "abc", 0, 0],
  // what is the beginning is not the end too
  ["aa", "aaa", 2, 0],
  ["aba", "aa", 1, 1],
])("%j and %j have %i characters in common at the beginning, and %i at the end", (one, other, start, end) => {
  expect(sameEnds(one, other)).toEqual({ start, end });
  expect(sameEnds(other, one)).toEqual({ start, end });
});
