import { expect, test } from "vitest";
import { isKnownBlock } from "./message.ts";

test.each(["text", "image", "tool_use", "tool_result", "reasoning"])("knows %s blocks", (type) => {
  expect(isKnownBlock({ type })).toBe(true);
});

test.each(["null", "{}", "7"])("only carries what is no block: %s", (text) => {
  expect(isKnownBlock(JSON.parse(text))).toBe(false);
});

test.each(["document", "", "constructor", "__proto__", "toString"])("only carries blocks of type %j", (type) => {
  expect(isKnownBlock({ type })).toBe(false);
});
