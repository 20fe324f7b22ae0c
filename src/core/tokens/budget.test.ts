import { describe, expect, test } from "vitest";
import { allowedTokens, DEFAULT_RESERVED_TOKENS, TOKEN_BUFFER_PERCENTAGE } from "./budget.ts";

describe("allowedTokens", () => {
  test("leaves a tenth of the window and the reply free", () => {
    expect(TOKEN_BUFFER_PERCENTAGE).toBe(0.1);
    expect(allowedTokens({ contextWindow: 100_000, maxTokens: 30_000 })).toBe(100_000 * 0.9 - 30_000);
  });

  test("reserves 8,192 tokens for a reply of unknown length, but none where none is asked for", () => {
    expect(DEFAULT_RESERVED_TOKENS).toBe(8_192);
    expect(allowedTokens({ contextWindow: 200_000 })).toBe(200_000 * 0.9 - 8_192);
    expect(allowedTokens({ contextWindow: 200_000, maxTokens: 0 })).toBe(180_000);
  });

  test("does not round", () => {
    expect(allowedTokens({ contextWindow: 1_001, maxTokens: 0 })).toBe(1_001 * 0.9);
  });

  test("is negative where the reply leaves no room", () => {
    expect(allowedTokens({ contextWindow: 8_192 })).toBeLessThan(0);
  });

  test("stays under a cap on the prompt itself", () => {
    expect(allowedTokens({ contextWindow: 400_000, inputLimitTokens: 272_000 })).toBe(272_000 * 0.9);
  });

  test("beside system prompt and tools is of what these leave: a tenth of it, and the reply", () => {
    expect(allowedTokens({ contextWindow: 32_000, maxTokens: 4_000, overheadTokens: 18_000 })).toBe(
      18_000 + 14_000 * 0.9 - 4_000,
    );
  });

  test("keeps no more than half of that for the reply, and where nothing else fits, a tenth", () => {
    const numbers = { contextWindow: 24_000, maxTokens: 32_000, overheadTokens: 18_000 };
    expect(allowedTokens(numbers)).toBe(18_000 + 6_000 * 0.4);
    expect(allowedTokens({ ...numbers, reserve: "least" })).toBeCloseTo(18_000 + 6_000 * 0.85);
  });

  test("leaves nothing for a conversation where system prompt and tools fill the window", () => {
    expect(allowedTokens({ contextWindow: 16_000, overheadTokens: 18_000 })).toBe(18_000);
  });

  test("beside system prompt and tools stays under a cap on the prompt itself", () => {
    const numbers = { contextWindow: 400_000, inputLimitTokens: 272_000, overheadTokens: 22_000 };
    expect(allowedTokens(numbers)).toBe(22_000 + 250_000 * 0.9);
  });

  test.each([
    ["overheadTokens", { contextWindow: 1_000, overheadTokens: -1 }],
    ["contextWindow", { contextWindow: 0 }],
    ["contextWindow", { contextWindow: Number.NaN }],
    ["maxTokens", { contextWindow: 1_000, maxTokens: -1 }],
    ["inputLimitTokens", { contextWindow: 1_000, inputLimitTokens: Number.POSITIVE_INFINITY }],
  ])("refuses a wrong %s", (field, options) => {
    expect(() => allowedTokens(options)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(`${field} is `) }),
    );
  });
});
