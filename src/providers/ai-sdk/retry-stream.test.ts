import { describe, expect, test } from "vitest";
import { planRetry } from "./retry-stream.ts";

describe("planRetry", () => {
  const settings = { maxRetries: 2, retryDelayMs: 500 };
  const passing = { isTransient: true, retryAfterMs: undefined };

  test("doubles the wait, and gives up after the last retry", () => {
    const waits = [0, 1, 2].map((attempt) => planRetry(passing, { ...settings, attempt }));
    expect(waits).toEqual([500, 1_000, undefined]);
  });

  test("never repeats what would fail again", () => {
    expect(planRetry({ isTransient: false, retryAfterMs: 0 }, { ...settings, attempt: 0 })).toBeUndefined();
  });

  test("waits as long as the provider asks, and does not wait for one that asks for more than a minute", () => {
    expect(planRetry({ ...passing, retryAfterMs: 7_000 }, { ...settings, attempt: 1 })).toBe(7_000);
    expect(planRetry({ ...passing, retryAfterMs: 60_001 }, { ...settings, attempt: 0 })).toBeUndefined();
  });
});
