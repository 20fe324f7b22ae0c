import { expect, test } from "vitest";
import { filledShare, windowBar } from "./window-bar.ts";

const NOW = {
  contextWindow: 200,
  promptTokens: 60,
  bar: [
    { category: "system", tokens: 20 },
    { category: "images", tokens: 0 },
    { category: "user", tokens: 40 },
    { category: "free", tokens: 100 },
    { category: "reserved", tokens: 40 },
  ],
} as const;

test("segments are shares of the whole window, without the empty ones", () => {
  const segments = windowBar(NOW);
  expect(segments.map(({ category, share }) => [category, share])).toEqual([
    ["system", 0.1],
    ["user", 0.2],
    ["free", 0.5],
    ["reserved", 0.2],
  ]);
  expect(segments[1]).toMatchObject({ name: "You", meaning: "what people said" });
});

test("a prompt that is larger than the window fills the bar and no more", () => {
  const segments = windowBar({ contextWindow: 50, bar: [{ category: "user", tokens: 100 }] });
  expect(segments.map(({ share }) => share)).toEqual([1]);
  expect([
    filledShare(NOW),
    filledShare({ promptTokens: 9, contextWindow: 5 }),
    filledShare({ promptTokens: 9, contextWindow: 0 }),
  ]).toEqual([0.3, 1, undefined]);
});

test("before the first request nobody knows the window: what there is fills the bar", () => {
  const now = { promptTokens: 3, bar: [{ category: "user", tokens: 3 }] } as const;
  expect([windowBar(now).map(({ share }) => share), filledShare(now)]).toEqual([[1], undefined]);
});
