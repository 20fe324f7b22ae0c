import { describe, expect, test } from "vitest";
import type { Block } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { describeCall } from "../tool-calls/stand-in-call.ts";
import { countOf, markerText, standInText, textInPlaceOf } from "./stand-in.ts";

const call = (name: string, input: unknown) => ({ type: "tool_use", id: "t", name, input }) as const;

describe("standInText", () => {
  test("says what is hidden, how much, and the id that brings it back", () => {
    expect(standInText({ foldId: "clear-1x9k2ab", what: "read_file src/a.ts", tokens: 3214 })).toBe(
      "[read_file src/a.ts: 3,214 tokens hidden in fold clear-1x9k2ab]",
    );
  });

  test("leaves out what is not known", () => {
    expect(standInText({ foldId: "clip-1" })).toBe("[hidden in fold clip-1]");
  });

  test("stays under forty tokens for a call with a long path", () => {
    const what = describeCall(call("read_file", { path: `src/${"deeply/nested/".repeat(20)}component.test.tsx` }));
    const text = standInText({ foldId: "clear-1x9k2ab", what, tokens: 1_234_567 });
    expect(countContentTokens(text)).toBeLessThanOrEqual(40);
  });
});

test("a marker counts the messages that it stands for", () => {
  expect(markerText({ foldId: "truncate-1x9k2ab", messages: 1_012, tokens: 34_567 })).toBe(
    "[1,012 earlier messages: 34,567 tokens hidden in fold truncate-1x9k2ab]",
  );
  expect(markerText({ foldId: "truncate-1", messages: 1 })).toBe("[1 earlier message hidden in fold truncate-1]");
});

test("numbers are grouped by thousands", () => {
  expect([0, 999, 1_000, 1_234_567].map((count) => countOf(count, "item"))).toEqual([
    "0 items",
    "999 items",
    "1,000 items",
    "1,234,567 items",
  ]);
});

describe("textInPlaceOf", () => {
  test("drops a signature with what it signs", () => {
    const reasoning = { type: "reasoning", text: "hm", signature: "s" } as const;
    expect(textInPlaceOf(reasoning, "[x]")).toEqual({ type: "text", text: "[x]" });
  });

  test("keeps the request for a cache breakpoint", () => {
    const block: Block & { cache_control: unknown } = { type: "document", cache_control: { type: "ephemeral" } };
    expect(textInPlaceOf(block, "[x]")).toEqual({ type: "text", text: "[x]", cache_control: { type: "ephemeral" } });
  });
});

describe("describeCall", () => {
  test.each([
    ["read_file src/a.ts", call("read_file", { offset: 3, filePath: "src/a.ts" })],
    ["shell bash -lc ls", call("shell", { workdir: "/w", command: ["bash", "-lc", "ls"] })],
    ["search_files TODO", call("search_files", { recursive: true, regex: "TODO" })],
    ["weather Oslo", call("weather", { city: "Oslo" })],
    ["now", call("now", {})],
    ["eval 1+1", call("eval", "1+1")],
    ["run a b", call("run", { command: "  a\n\tb\u0000" })],
    ["tool result", undefined],
  ])("names the tool and what it was about: %s", (expected, block) => {
    expect(describeCall(block)).toBe(expected);
  });

  test("keeps both ends of a long argument and breaks no character", () => {
    const description = describeCall(call("read", { path: "😀".repeat(1_000_000) }));
    expect(description).toMatch(/^read 😀+…😀+$/u);
    expect(description.length).toBeLessThan(80);
  });
});

test("a search is named by what it looked for, not by where", () => {
  expect(describeCall(call("search", { path: ".", pattern: "NoTideWindow" }))).toBe("search NoTideWindow");
});
