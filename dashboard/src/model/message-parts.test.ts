import { expect, test } from "vitest";
import { messageParts } from "./message-parts.ts";

test("a text is one part", () => {
  expect(messageParts({ content: "hello" })).toEqual([{ title: "Text", text: "hello" }]);
});

test("blocks are parts, each with what is sent in its place", () => {
  const content = [
    { type: "text", text: "I look at it." },
    { type: "tool_use", name: "Read", input: { path: "a.ts" } },
    { type: "tool_result", content: [{ type: "text", text: "one" }, { type: "image" }] },
  ];
  const standIn = { type: "tool_result", content: "[cleared]" };
  const folds = [{ foldId: "clear-1", kind: "clear", blockIndex: 2, standIn, hiddenTokens: 40 }];
  expect(messageParts({ content, folds })).toEqual([
    { title: "Text", text: "I look at it." },
    { title: "Call of Read", text: '{\n  "path": "a.ts"\n}' },
    {
      title: "Result of a tool",
      text: "one\n(an image)",
      standIn: { foldId: "clear-1", kind: "clear", text: "[cleared]", hiddenTokens: 40 },
    },
  ]);
});

test("what nobody knows is shown as it came", () => {
  expect(messageParts({ content: [{ type: "compaction_v9" }] })).toEqual([
    { title: "compaction_v9", text: '{\n  "type": "compaction_v9"\n}' },
  ]);
});
