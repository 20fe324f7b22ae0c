import { expect, test } from "vitest";
import { findModel } from "../../core/models/registry.ts";
import { usageChunk } from "./usage-chunk.ts";

const NOTHING = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const OUTPUT = { total: 10, text: undefined, reasoning: undefined };
const UNKNOWN = { entry: findModel("nobody-knows-me"), isSelfHosted: false };

test("a server that reports nothing leads to no usage", () => {
  const output = { total: undefined, text: undefined, reasoning: undefined };
  expect(usageChunk({ inputTokens: NOTHING, outputTokens: output }, UNKNOWN)).toBeUndefined();
});

test("a model whose price nobody knows has no cost, and one at home costs nothing", () => {
  const usage = { inputTokens: { ...NOTHING, total: 5, noCache: 5 }, outputTokens: OUTPUT };
  expect(usageChunk(usage, UNKNOWN)).not.toHaveProperty("totalCost");
  const paid = findModel("deepseek-chat");
  expect(usageChunk(usage, { entry: paid, isSelfHosted: true })).toMatchObject({ totalCost: 0 });
});

test("a server that counts cached tokens beside the prompt does not lead to negative input", () => {
  const usage = { inputTokens: { ...NOTHING, total: 20, noCache: -980, cacheRead: 1_000 }, outputTokens: OUTPUT };
  expect(usageChunk(usage, UNKNOWN)).toMatchObject({ inputTokens: 0, cacheReadTokens: 1_000 });
});
