import { describe, expect, test } from "vitest";
import { createModelRegistry } from "../../core/models/registry.ts";
import { resolveModel } from "./session-model.ts";

const registry = createModelRegistry();

describe("how long an unused prompt cache lives", () => {
  test("is as the registry knows it, where nobody says it", () => {
    expect(resolveModel({ model: "claude-sonnet-4-5" }, registry).cacheTtlMs).toBe(5 * 60_000);
    expect(resolveModel({ model: "a-model-that-nobody-knows" }, registry).cacheTtlMs).toBe(0);
  });

  test("is as the choice of the model says", () => {
    expect(resolveModel({ model: "claude-sonnet-4-5", cacheTtlMs: 60 * 60_000 }, registry).cacheTtlMs).toBe(
      60 * 60_000,
    );
  });

  test("is no negative number", () => {
    expect(() => resolveModel({ model: "claude-sonnet-4-5", cacheTtlMs: -1 }, registry)).toThrow(/cacheTtlMs/);
  });
});
