import { expect, test } from "vitest";
import { withoutThinking } from "./without-thinking.ts";

test.each([
  ["<think>Let me see.</think>The summary.", "The summary."],
  ["\n<thinking>\nLet me see.\n</thinking>\n\nThe summary.", "The summary."],
  ["<think></think>\nThe summary with a </think> in it.", "The summary with a </think> in it."],
])("what was thought in front of %j goes", (reply, summary) => {
  expect(withoutThinking(reply)).toBe(summary);
});

test("thinking whose opening tag was part of the prompt goes too", () => {
  expect(withoutThinking("Let me see.\n</think>\n\nThe summary.")).toBe("The summary.");
});

test.each(["<think>Let me see.", "<think>Let me see.</think>", " <think>\n\n</think> \n", "Hm.\n</think>"])(
  "nothing is left of %j, which is only thought",
  (reply) => {
    expect(withoutThinking(reply)).toBe("");
  },
);

test.each([
  "The summary.",
  "The parser drops all up to </think> and fails on <think>.",
  "It reads:\n<think>\nhidden\n</think>\nand goes on.",
  "The tag is </think>, found in src/parse.ts.",
  "",
])("%j only speaks of such tags, and stays", (reply) => {
  expect(withoutThinking(reply)).toBe(reply);
});
