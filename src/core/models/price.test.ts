import { describe, expect, test } from "vitest";
import { priceOf } from "./price.ts";
import { findModel } from "./registry.ts";

describe("priceOf", () => {
  test("adds up fresh, cached, written and generated tokens at their own rates", () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 100_000,
      cacheReadTokens: 2_000_000,
      cacheWriteTokens: 400_000,
    };
    // 3 + 15 · 0.1 + 0.3 · 2 + 3.75 · 0.4
    expect(priceOf("claude-sonnet-4-5", usage)).toBeCloseTo(6.6, 10);
  });

  test("cached tokens cost the input price where the provider knows no other", () => {
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 1_000_000, cacheWriteTokens: 1_000_000 };
    expect(priceOf("gpt-4-turbo", usage)).toBeCloseTo(20, 10);
  });

  test("a long prompt pays the long rate for all of its tokens, cached ones included", () => {
    const atLimit = { inputTokens: 72_000, outputTokens: 0, cacheReadTokens: 200_000 };
    expect(priceOf("gpt-6-sol", atLimit)).toBeCloseTo(0.072 * 2 + 0.2 * 0.2, 10);
    const above = { ...atLimit, inputTokens: 72_001 };
    expect(priceOf("gpt-6-sol", above)).toBeCloseTo(0.072001 * 4 + 0.2 * 0.4, 10);
    expect(priceOf("qwen3-coder-plus", { inputTokens: 200_000, outputTokens: 0 })).toBeCloseTo(0.6, 10);
  });

  test("what nobody meters costs nothing, and the entry says why", () => {
    const usage = { inputTokens: 5_000, outputTokens: 5_000 };
    expect(priceOf("llama-3.3-70b", usage)).toBe(0);
    expect(findModel("llama-3.3-70b").pricesUsdPerMillion.type).toBe("self-hosted");
    expect(priceOf("nobody-knows-me", usage)).toBeUndefined();
    expect(findModel("nobody-knows-me").pricesUsdPerMillion.type).toBe("unknown");
  });

  test("takes an entry as well as an id", () => {
    const usage = { inputTokens: 1_000, outputTokens: 1_000 };
    expect(priceOf(findModel("gpt-4o"), usage)).toBe(priceOf("gpt-4o", usage));
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])("refuses %d tokens", (tokens) => {
    expect(() => priceOf("gpt-4o", { inputTokens: tokens, outputTokens: 0 })).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("usage.inputTokens") }),
    );
  });
});
