import { describe, expect, test } from "vitest";
import { hasPath, withVersion } from "./base-url.ts";

describe("where a model handler asks", () => {
  test.each([
    ["anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1"],
    ["anthropic", "https://host/anthropic", "https://host/anthropic/v1"],
    ["anthropic", "https://host/api/v1", "https://host/api/v1"],
    ["openai", "https://host", "https://host/v1"],
    ["openai", "https://host/v1", "https://host/v1"],
    ["openai", "https://host/v1beta/openai", "https://host/v1beta/openai"],
    ["openai", "https://host/api/coding", "https://host/api/coding"],
    ["gemini", "https://host", "https://host/v1beta"],
    ["gemini", "https://host/google", "https://host/google/v1beta"],
    ["gemini", "https://host/v1beta", "https://host/v1beta"],
  ] as const)("is where the gateway asks: %s at %s", (api, upstream, expected) => {
    expect(withVersion({ [api]: upstream }, api)).toBe(expected);
  });

  test("is nowhere else where no upstream is named", () => {
    expect(withVersion({}, "openai")).toBeUndefined();
  });
});

test("a slash is no path", () => {
  expect(["https://host", "https://host/", "https://host//"].map(hasPath)).toEqual([false, false, false]);
  expect(["https://host/v1", "https://host/a/"].map(hasPath)).toEqual([true, true]);
});
