import { describe, expect, test } from "vitest";
import { effectiveThreshold, MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD } from "./condense-threshold.ts";
import {
  decideManagement,
  type ManagementNumbers,
  MIN_CONDENSE_WINDOW,
  willManageContext,
} from "./will-manage-context.ts";

function numbers(changes: Partial<ManagementNumbers>): ManagementNumbers {
  return {
    totalTokens: 0,
    lastMessageTokens: 0,
    contextWindow: 100_000,
    maxTokens: 10_000,
    autoCondenseContext: true,
    autoCondenseContextPercent: 75,
    profileThresholds: {},
    currentProfileId: "default",
    ...changes,
  };
}

describe("the threshold", () => {
  const global = { autoCondenseContextPercent: 60, currentProfileId: "fast" };

  test.each([
    [{}, 60],
    [{ fast: -1 }, 60],
    [{ fast: 5 }, 5],
    [{ fast: 100 }, 100],
    [{ fast: 42.5 }, 42.5],
    [{ other: 20 }, 60],
  ])("with the profiles %o is %d %%", (profileThresholds, percent) => {
    expect(effectiveThreshold({ ...global, profileThresholds })).toEqual({ percent });
  });

  test("of a profile is from 5 to 100 percent, and a model is asked in windows from 8,000 tokens on", () => {
    expect([MIN_CONDENSE_THRESHOLD, MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_WINDOW]).toEqual([5, 100, 8_000]);
  });

  test.each([4.9, 0, 101, -2, Number.NaN])("falls back with a warning when a profile asks for %d", (own) => {
    const { percent, warning } = effectiveThreshold({ ...global, profileThresholds: { fast: own } });
    expect(percent).toBe(60);
    for (const part of [String(own), "fast", "60"]) expect(warning).toContain(part);
  });

  test("warns about a profile that holds no number", () => {
    const profileThresholds = JSON.parse('{ "fast": "50" }');
    const { percent, warning } = effectiveThreshold({ ...global, profileThresholds });
    expect(percent).toBe(60);
    expect(warning).toContain('"fast" is "50"');
  });

  test("of a profile named like a built-in property is not found by accident", () => {
    const settings = { ...global, currentProfileId: "constructor", profileThresholds: {} };
    expect(effectiveThreshold(settings)).toEqual({ percent: 60 });
  });
});

describe("managing", () => {
  test("starts exactly at the threshold, the last message included", () => {
    expect(willManageContext(numbers({ totalTokens: 70_000, lastMessageTokens: 4_999 }))).toBe(false);
    expect(willManageContext(numbers({ totalTokens: 70_000, lastMessageTokens: 5_000 }))).toBe(true);
  });

  test("starts above the allowed tokens, whatever the threshold", () => {
    const late = numbers({ autoCondenseContextPercent: 100 });
    expect(willManageContext({ ...late, totalTokens: 80_000 })).toBe(false);
    expect(willManageContext({ ...late, totalTokens: 80_001 })).toBe(true);
  });

  test("with condensing off looks only at the allowed tokens, and never condenses", () => {
    const off = numbers({ autoCondenseContext: false });
    expect(willManageContext({ ...off, totalTokens: 80_000 })).toBe(false);
    expect(decideManagement({ ...off, totalTokens: 80_001 })).toMatchObject({
      shouldCondense: false,
      mustShrink: true,
    });
  });

  test("reserves the provider's default of 8,192 tokens where no reply length is given", () => {
    const { maxTokens: _, ...unlimited } = numbers({});
    expect(decideManagement(unlimited).allowedTokens).toBe(100_000 * 0.9 - 8_192);
  });

  test("of a window under 8,000 tokens truncates, never condenses", () => {
    const small = numbers({ contextWindow: 7_999, maxTokens: 1_000, totalTokens: 7_900 });
    expect(decideManagement(small)).toMatchObject({ shouldCondense: false, mustShrink: true });
    expect(decideManagement({ ...small, contextWindow: 8_000 }).shouldCondense).toBe(true);
    expect(willManageContext({ ...small, totalTokens: 6_100 })).toBe(false);
  });

  test("follows the profile's threshold, and the global one where the profile has none that is usable", () => {
    const at30 = numbers({ totalTokens: 30_000, currentProfileId: "fast" });
    expect(willManageContext({ ...at30, profileThresholds: { fast: 30 } })).toBe(true);
    expect(willManageContext({ ...at30, profileThresholds: { fast: 30.1 } })).toBe(false);
    expect(willManageContext({ ...at30, profileThresholds: { fast: -1 } })).toBe(false);
    expect(willManageContext({ ...at30, profileThresholds: { fast: 3 } })).toBe(false);
    expect(decideManagement({ ...at30, profileThresholds: { fast: 3 } }).warning).toContain("fast");
  });

  test("counts the last message towards the limit too", () => {
    const off = numbers({ autoCondenseContext: false, totalTokens: 79_000 });
    expect(willManageContext({ ...off, lastMessageTokens: 1_000 })).toBe(false);
    expect(willManageContext({ ...off, lastMessageTokens: 1_001 })).toBe(true);
  });

  test("refuses numbers that cannot be right, by name", () => {
    for (const field of ["totalTokens", "lastMessageTokens", "contextWindow", "autoCondenseContextPercent"]) {
      expect(() => willManageContext(numbers({ [field]: Number.NaN }))).toThrow(field);
    }
  });

  test("says why", () => {
    expect(decideManagement(numbers({ totalTokens: 76_000 }))).toMatchObject({
      prevContextTokens: 76_000,
      usedPercent: 76,
      thresholdPercent: 75,
    });
  });
});
