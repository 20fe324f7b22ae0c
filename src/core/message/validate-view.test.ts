import { describe, expect, test } from "vitest";
import { assistant, call, chat, log, result, tag, text, user } from "../../../test/support/messages.ts";
import type { Block, Message } from "./message.ts";
import { validateView } from "./validate-view.ts";

/** Problems as "code message-id tool-id". */
function outline(...messages: readonly Message[]): readonly string[] {
  return validateView(log(...messages)).map(({ code, messageId, toolUseId }) =>
    [code, messageId, toolUseId].filter((part) => part !== undefined).join(" "),
  );
}

const go = user("go");
const thinking: Block = { type: "reasoning", text: "hm" };
const image: Block = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };

describe("finds no problem in", () => {
  test.each<[string, readonly Message[]]>([
    ["plain talk", chat(5)],
    ["a call and its result", [go, assistant(thinking, "so", call("a")), user(result("a"), "go on"), assistant("ok")]],
    ["parallel calls", [go, assistant(call("a"), call("b")), user(result("b"), result("a"))]],
    [
      "results spread over neighbouring user messages",
      [go, assistant(call("a"), call("b")), user(result("b")), user(result("a"), "next")],
    ],
    [
      "a call in the second of two neighbouring assistant messages",
      [go, assistant("so"), assistant(call("a")), user(result("a"))],
    ],
    [
      "calls spread over neighbouring assistant messages",
      [go, assistant(call("a")), assistant(call("b")), user(result("a"), result("b"))],
    ],
    ["neighbouring messages of one role", [go, user("and"), assistant("a"), assistant("b"), user("ok")]],
    ["blocks that we do not know", [user({ type: "document" }), assistant({ type: "server_tool_use" })]],
    [
      "a result with no content, or an empty one",
      [go, assistant(call("a"), call("b")), user({ type: "tool_result", tool_use_id: "a" }, result("b", ""))],
    ],
    ["a result with an image", [go, assistant(call("a")), user({ ...result("a"), content: [text("shot"), image] })]],
    ["white space before a final assistant message", [user("go \n"), assistant(" a "), user("b "), assistant(" ok")]],
    ["a final assistant message that ends in a block without text", [go, assistant("so \n", { type: "citation" })]],
  ])("%s", (_, messages) => {
    expect(validateView(messages)).toEqual([]);
  });
});

describe("reports", () => {
  test("empty-view", () => {
    expect(validateView([])).toEqual([{ code: "empty-view", reason: "There is no message to send." }]);
  });

  test.each<[string, readonly Message[], readonly string[]]>([
    ["first-turn-not-user", [assistant("hi"), go], ["first-turn-not-user m0"]],
    ["empty-content, a string", [go, assistant(""), user(" \n\t")], ["empty-content m1", "empty-content m2"]],
    ["empty-content, no block", [go, user()], ["empty-content m1"]],
    ["empty-content, a blank text block", [go, assistant("so", text(" ")), user("ok")], ["empty-content m1"]],
    [
      "empty-content, inside a result",
      [go, assistant(call("a")), user({ ...result("a"), content: [text("")] })],
      ["empty-content m2"],
    ],
    ["trailing-whitespace", [go, assistant("so\n")], ["trailing-whitespace m1"]],
    ["trailing-whitespace, in the last block", [go, assistant("a", "b ")], ["trailing-whitespace m1"]],
    ["misplaced-block, a call by the user", [user("go", call("a"))], ["misplaced-block m0"]],
    ["misplaced-block, reasoning by the user", [user(thinking, "go")], ["misplaced-block m0"]],
    ["misplaced-block, a result by the assistant", [go, assistant("x", result("a"))], ["misplaced-block m1"]],
    [
      "misplaced-block, a call inside a result",
      [go, assistant(call("a")), user({ ...result("a"), content: [call("b")] })],
      ["misplaced-block m2"],
    ],
    [
      "misplaced-block, a result inside a result",
      [go, assistant(call("a")), user({ ...result("a"), content: [result("b")] })],
      ["misplaced-block m2"],
    ],
    ["orphan-result", [user("go"), assistant("hm"), user(result("a"))], ["orphan-result m2 a"]],
    ["missing-result, at the end", [go, assistant(call("a"))], ["missing-result m1 a"]],
    [
      "missing-result, of one in parallel",
      [go, assistant(call("a"), call("b")), user(result("b"))],
      ["missing-result m1 a"],
    ],
    [
      "missing-result, before plain talk",
      [go, assistant(call("a")), user("stop"), assistant("ok")],
      ["missing-result m1 a"],
    ],
    [
      "pair-not-adjacent, with the call left unanswered",
      [go, assistant(call("a")), user("wait"), assistant("ok"), user(result("a"))],
      ["missing-result m1 a", "pair-not-adjacent m4 a"],
    ],
    [
      "pair-not-adjacent, for an id that was answered in an earlier use",
      [
        go,
        assistant(call("a")),
        user(result("a")),
        assistant(call("a")),
        user("wait"),
        assistant("ok"),
        user(result("a")),
      ],
      ["duplicate-call-id m3 a", "missing-result m3 a", "pair-not-adjacent m6 a"],
    ],
    ["result-not-first, after text", [go, assistant(call("a")), user("so", result("a"))], ["result-not-first m2 a"]],
    [
      "result-not-first, after a block that we do not know",
      [go, assistant(call("a")), user({ type: "document" }, result("a"))],
      ["result-not-first m2 a"],
    ],
    [
      "result-not-first, after a neighbouring message",
      [go, assistant(call("a")), user("so"), user(result("a"))],
      ["result-not-first m3 a"],
    ],
    [
      "duplicate-call-id, in one turn",
      [go, assistant(call("a"), call("a")), user(result("a"))],
      ["duplicate-call-id m1 a"],
    ],
    [
      "duplicate-call-id, in a later turn",
      [go, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
      ["duplicate-call-id m3 a"],
    ],
    [
      "duplicate-result, in one turn",
      [go, assistant(call("a")), user(result("a"), result("a"))],
      ["duplicate-result m2 a"],
    ],
    [
      "duplicate-result, in a later turn",
      [go, assistant(call("a")), user(result("a")), assistant("ok"), user(result("a"))],
      ["duplicate-result m4 a"],
    ],
  ])("%s", (_, messages, expected) => {
    expect(outline(...messages)).toEqual(expected);
  });
});

test("says what is wrong, where, for people and for programs", () => {
  expect(validateView(log(go, assistant(call("a"))))).toEqual([
    {
      code: "missing-result",
      reason: 'Message m1: tool call "a": this call is not answered in the user turn right after it.',
      messageIndex: 1,
      messageId: "m1",
      toolUseId: "a",
    },
  ]);
  expect(validateView([user("")])).toEqual([
    { code: "empty-content", reason: "Message 0: The content is empty or only white space.", messageIndex: 0 },
  ]);
});

test.each<[string, readonly Message[], readonly string[]]>([
  ["an orphan result", [user("go", result("a"))], ['result of tool call "a": no call before it has this id.']],
  [
    "a call id that comes twice",
    [go, assistant(call("a"), call("a")), user(result("a"))],
    ['tool call "a": an earlier call already has this id.'],
  ],
  [
    "a result that comes twice",
    [go, assistant(call("a")), user(result("a"), result("a"))],
    ['result of tool call "a": its call has been answered already.'],
  ],
])("names the half that is wrong: %s", (_, messages, expected) => {
  const reasons = validateView(messages).map(({ reason }) => reason.replace(/^Message \d+: /, ""));
  for (const each of expected) expect(reasons).toContain(each);
});

test("lists problems in the order of their messages", () => {
  const messages = [
    assistant(call("a")),
    user(""),
    assistant("x", text("")),
    user("late", result("a")),
    assistant("end "),
  ];
  expect(outline(...messages)).toEqual([
    "first-turn-not-user m0",
    "missing-result m0 a",
    "empty-content m1",
    "empty-content m2",
    "result-not-first m3 a",
    "pair-not-adjacent m3 a",
    "trailing-whitespace m4",
  ]);
});

// A pattern that tries every place where white space may begin would need hours for the padded messages.
test("tells ten million blanks from ten million blanks with a word, among 100,000 messages", () => {
  const blanks = " ".repeat(10_000_000);
  const messages = [
    ...chat(100_000),
    tag(user(blanks), { id: "blank" }),
    tag(assistant(`${blanks}word`), { id: "padded" }),
    tag(user(`${blanks}word`), { id: "asked" }),
    tag(assistant(`word${blanks}word${blanks}`), { id: "trailing" }),
  ];
  expect(validateView(messages).map(({ code, messageId }) => `${code} ${messageId}`)).toEqual([
    "empty-content blank",
    "trailing-whitespace trailing",
  ]);
});

describe("with a wire, finds what this provider alone refuses", () => {
  const pdf: Block = { type: "image", source: { type: "base64", media_type: "application/pdf", data: "JVBE" } };
  const gif: Block = { type: "image", source: { type: "base64", media_type: "image/gif", data: "R0lG" } };
  const signed: Block = { type: "reasoning", text: "hm", signature: "c2ln" };
  const raw: Block = { type: "tool_use", id: "a.b", name: "read", input: "raw" };
  const view = log(
    user("go", gif),
    assistant(thinking, signed, raw),
    user({ ...result("a.b"), content: [text("shot"), pdf] }),
    assistant("so", image),
  );
  const codes = (options?: Parameters<typeof validateView>[1]) =>
    validateView(view, options).map(({ code, messageId }) => `${code} ${messageId}`);

  test("and nothing of it without one", () => {
    expect(codes()).toEqual([]);
    expect(codes({})).toEqual([]);
  });

  test("anthropic", () => {
    expect(codes({ wire: "anthropic" })).toEqual([
      "unsigned-reasoning m1",
      "invalid-arguments m1",
      "invalid-call-id m1",
      "unsupported-media m2",
      "unsupported-media m3",
    ]);
  });

  test("gemini", () => {
    expect(codes({ wire: "gemini" })).toEqual(["unsupported-media m0", "invalid-arguments m1"]);
  });
});
