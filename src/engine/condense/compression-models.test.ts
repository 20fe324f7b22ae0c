import { expect, test } from "vitest";
import { compressionModel } from "./compression-models.ts";

test("each model compresses for itself unless told otherwise", () => {
  expect(compressionModel("gemini-2.5-pro")).toBe("gemini-2.5-pro");
  expect(compressionModel("gemini-2.5-pro", { models: { other: "x" } })).toBe("gemini-2.5-pro");
});

test("a model or alias is mapped, all others get the default", () => {
  const models = { models: { pro: "gemini-2.5-flash" }, default: "gemini-2.5-flash-lite" };
  expect(compressionModel("pro", models)).toBe("gemini-2.5-flash");
  expect(compressionModel("gemini-3-pro", models)).toBe("gemini-2.5-flash-lite");
});

test("names that objects have anyway are no entries", () => {
  expect(compressionModel("constructor", { models: {} })).toBe("constructor");
  expect(compressionModel("__proto__", { models: {}, default: "x" })).toBe("x");
});
