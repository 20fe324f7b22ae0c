import { describe, expect, test } from "vitest";
import { result, user } from "../../../test/support/messages.ts";
import { PalimpsestError } from "../errors.ts";
import { checkMessages } from "./check-messages.ts";
import { effectiveView } from "./effective-view.ts";
import type { Message } from "./message.ts";

function refusalOf(input: unknown): string {
  try {
    checkMessages(input);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "invalid-message") return error.message;
    throw error;
  }
  throw new Error("The input was accepted.");
}

const fold = { foldId: "f1", kind: "clip", blockIndex: 0, standIn: { type: "text", text: "stub" }, hiddenTokens: 1 };

describe("says what to do with a message of another form:", () => {
  const by = (converter: string) => `Convert it first, by ${converter} of palimpsest/messages.`;

  test.each<[string, object, string]>([
    ["a system prompt", { role: "system", content: "Be brief." }, "pass its text as the systemPrompt"],
    ["a developer's", { role: "developer", content: "Be brief." }, "pass its text as the systemPrompt"],
    ["a result of Chat Completions", { role: "tool", tool_call_id: "c1", content: "42" }, by("fromOpenAiChat")],
    ["a call of Chat Completions", { role: "assistant", content: null, tool_calls: [] }, by("fromOpenAiChat")],
    ["a whole completion", { object: "chat.completion", choices: [] }, "the message of its first choice"],
    ["an item of Responses", { type: "function_call_output", call_id: "c1", output: "42" }, by("fromOpenAiResponses")],
    [
      "a whole response",
      { object: "response", output: [] },
      "fromOpenAiResponses of palimpsest/messages. It takes the output",
    ],
    ["a whole response of Gemini", { candidates: [] }, "fromGemini of palimpsest/messages. It takes the content"],
    ["a turn of Gemini", { role: "model", parts: [{ text: "42" }] }, by("fromGemini")],
    ["a user's turn of Gemini", { role: "user", parts: [{ text: "42" }] }, by("fromGemini")],
    ["a result of the AI SDK", { role: "tool", content: [{ type: "tool-result" }] }, by("fromAiSdk")],
    [
      "a message of the AI SDK's page",
      { role: "user", parts: [{ type: "text", text: "42" }] },
      "convertToModelMessages",
    ],
    ["one of LangChain's classes", { content: "42", getType: () => "human" }, by("fromLangChain")],
  ])("%s", (_, message, advice) => {
    const refusal = refusalOf([message]);
    expect(refusal).toMatch(/^messages\[0\]\.(?:role|content) is .*; it must be .*\. /);
    expect(refusal).toContain(advice);
  });
});

describe("refuses, naming the place, the value and what is allowed:", () => {
  const expectRefusal = (input: unknown, place: string, allowed: string) =>
    expect(refusalOf(input)).toBe(`${place}; it must be ${allowed}.`);

  test.each<[unknown, string]>([
    [null, "null"],
    [undefined, "undefined"],
    ["[]", '"[]"'],
    [Promise.resolve([]), "a promise that was not awaited"],
    [{ role: "user" }, "an object"],
  ])("not an array: %j", (input, found) => {
    expectRefusal(input, `messages is ${found}`, "an array of messages");
  });

  test.each<[unknown, string]>([
    [null, "null"],
    [undefined, "undefined"],
    [42, "42"],
    ["hi", '"hi"'],
    [[], "an array"],
    [() => 1, "a function"],
    [Promise.resolve(user("hi")), "a promise that was not awaited"],
  ])("not a message: %s", (message, found) => {
    expectRefusal([user("hi"), message], `messages[1] is ${found}`, "an object with role and content");
  });

  const role = '"user" or "assistant"';
  const content = "a string or an array of blocks";
  test.each<[object, string, string]>([
    [{ role: undefined }, "role is undefined", role],
    [{ role: "narrator" }, 'role is "narrator"', role],
    [{ role: () => "user" }, "role is a function", role],
    [{ role: "x".repeat(50_000_000) }, `role is "${"x".repeat(40)}…"`, role],
    [{ content: undefined }, "content is undefined", content],
    [{ content: null }, "content is null", content],
    [{ content: 5 }, "content is 5", content],
    [{ id: 7 }, "id is 7", "a string"],
    [{ condenseId: {} }, "condenseId is an object", "a string"],
    [{ condenseParent: 7 }, "condenseParent is 7", "a string"],
    [{ truncationId: null }, "truncationId is null", "a string"],
    [{ truncationParent: true }, "truncationParent is true", "a string"],
    [{ ts: "yesterday" }, 'ts is "yesterday"', "a finite number of milliseconds"],
    [{ ts: Number.NaN }, "ts is NaN", "a finite number of milliseconds"],
    [{ important: "yes" }, 'important is "yes"', "true or false"],
    [{ isSummary: 1 }, "isSummary is 1", "true or false"],
    [{ isTruncationMarker: null }, "isTruncationMarker is null", "true or false"],
    [{ folds: {} }, "folds is an object", "an array of folds"],
  ])("a bad field: message %#", (fields, found, allowed) => {
    expectRefusal([{ ...user("hi"), ...fields }], `messages[0].${found}`, allowed);
  });

  test.each<[unknown, string, string]>([
    ["hi", ' is "hi"', "an object with a type"],
    [{}, ".type is undefined", "a string"],
    [{ type: "text" }, ".text is undefined", "a string"],
    [{ type: "reasoning", text: null }, ".text is null", "a string"],
    [{ type: "image", source: "a.png" }, '.source is "a.png"', "an object"],
    [{ type: "tool_use", name: "x" }, ".id is undefined", "a string"],
    [{ type: "tool_use", id: "x" }, ".name is undefined", "a string"],
    [{ type: "tool_result" }, ".tool_use_id is undefined", "a string"],
    [{ type: "tool_result", tool_use_id: "x", content: null }, ".content is null", content],
    [{ type: "tool_result", tool_use_id: "x", content: [7] }, ".content[0] is 7", "an object with a type"],
  ])("a bad block: %j", (block, found, allowed) => {
    expectRefusal(
      [user({ type: "any" }), { role: "user", content: [block] }],
      `messages[1].content[0]${found}`,
      allowed,
    );
  });

  test.each<[unknown, string, string]>([
    ["f1", ' is "f1"', "a fold object"],
    [{ ...fold, foldId: 1 }, ".foldId is 1", "a string"],
    [{ ...fold, kind: "shred" }, '.kind is "shred"', '"clear", "dedupe", "clip", "resolve" or "notice"'],
    [{ ...fold, kind: ["clip"] }, ".kind is an array", '"clear", "dedupe", "clip", "resolve" or "notice"'],
    [{ ...fold, blockIndex: 0.5 }, ".blockIndex is 0.5", "an index into content"],
    [{ ...fold, hiddenTokens: "9" }, '.hiddenTokens is "9"', "a finite number of tokens"],
    [{ ...fold, standIn: null }, ".standIn is null", "an object with a type"],
    [{ ...fold, standIn: { type: "text" } }, ".standIn.text is undefined", "a string"],
  ])("a bad fold: %j", (bad, found, allowed) => {
    expectRefusal([{ ...user("hi"), folds: [fold, bad] }], `messages[0].folds[1]${found}`, allowed);
  });

  test("results nested without end, instead of exhausting the stack", () => {
    let block: object = { type: "text", text: "deep" };
    for (let depth = 0; depth < 50_000; depth++) block = { type: "tool_result", tool_use_id: "t", content: [block] };
    expect(refusalOf([{ role: "user", content: [block] }])).toMatch(/nested at most 20 levels deep\.$/);
  });
});

describe("carries through unchanged:", () => {
  const carried: readonly [string, readonly Message[]][] = [
    ["an empty conversation", []],
    ["empty content", [user(""), user()]],
    ["NUL bytes", [user("a\0b")]],
    ["lone surrogates", [user("\ud800 \udfff")]],
    ["timestamps that go backwards", [5, 0, -5].map((ts) => ({ ...user("hi"), ts }))],
    ["duplicate ids", ["same", "same"].map((id) => ({ ...user("hi"), id }))],
    ["blocks and fields that we do not know", [{ ...user({ type: "document" }), ...{ vendor: { deep: [null] } } }]],
    ["an orphan tool result", [user(result("nobody"))]],
    ["a result within a result", [user({ ...result("a"), content: [result("b")] })]],
  ];
  test.each(carried)("%s", (_, messages) => {
    const view = effectiveView(messages);
    expect(view).toEqual(messages);
    expect(view.every((message, index) => message === messages[index])).toBe(true);
  });

  test("strings of 100 MB", () => {
    const messages = [user("x".repeat(100_000_000)), user({ type: "text", text: "y".repeat(100_000_000) })];
    const view = effectiveView(messages);
    expect(view.every((message, index) => message === messages[index])).toBe(true);
    expect(view).toHaveLength(2);
  });
});

test("accepts every optional field with its proper type", () => {
  const full = {
    ...user("hi"),
    ...{ id: "m", ts: 0, important: false, isSummary: true, condenseId: "c", condenseParent: "p" },
    ...{ isTruncationMarker: false, truncationId: "t", truncationParent: "q", folds: [fold] },
  };
  expect(() => checkMessages([full])).not.toThrow();
});
