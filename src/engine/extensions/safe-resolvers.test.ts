import { describe, expect, test } from "vitest";
import { unmetFaults } from "../../../test/support/faults.ts";
import type { CondensationContext } from "../../core/ports/condensation.ts";
import type { Resolvers } from "../../core/ports/hooks.ts";
import type { PluginFault } from "./fault.ts";
import { safeResolvers } from "./safe-resolvers.ts";

const context: CondensationContext = {
  taskId: "task",
  messages: [],
  modelId: "model",
  profileId: "default",
  trigger: "auto",
  contextWindow: 100_000,
  prevContextTokens: 80_000,
  allowedTokens: 82_000,
  usedPercent: 80,
};

function safe(resolvers: Resolvers) {
  const faults: PluginFault[] = [];
  return { resolve: safeResolvers(resolvers, (fault) => faults.push(fault)), faults };
}

/** A resolver from JavaScript: it may answer anything. */
function answering(method: keyof Resolvers, answer: unknown) {
  const { resolve, faults } = safe({ [method]: () => answer });
  const resolved = method === "prompt" ? resolve.prompt(context, "summary") : resolve[method](context);
  return { resolved, errors: faults.map(({ error }) => error) };
}

describe("resolvers", () => {
  test("answer from the situation", () => {
    const { resolve, faults } = safe({
      threshold: ({ usedPercent }) => usedPercent / 2,
      prompt: ({ modelId }, strategy) => `${strategy} for ${modelId}`,
      truncationSelection: () => ({ type: "keepLast", count: 7 }),
    });
    expect(resolve.threshold(context)).toBe(40);
    expect(resolve.prompt(context, "summary")).toBe("summary for model");
    expect(resolve.truncationSelection(context)).toEqual({ type: "keepLast", count: 7 });
    expect(faults).toEqual([]);
  });

  test("that are absent or have no answer leave the configured value, without a fault", () => {
    for (const resolvers of [{}, { threshold: () => undefined, prompt: () => undefined }]) {
      const { resolve, faults } = safe(resolvers);
      expect(resolve.threshold(context)).toBeUndefined();
      expect(resolve.prompt(context, "summary")).toBeUndefined();
      expect(resolve.truncationSelection(context)).toBeUndefined();
      expect(faults).toEqual([]);
    }
  });

  test("that throw are reported and passed over", () => {
    const { resolve, faults } = safe({
      threshold() {
        throw new Error("no prices");
      },
    });
    expect(resolve.threshold(context)).toBeUndefined();
    expect(faults).toEqual([{ plugin: "resolvers", error: "threshold: no prices" }]);
  });

  test.each([5, 42.5, 100])("may set the threshold %d", (percent) => {
    expect(answering("threshold", percent)).toEqual({ resolved: percent, errors: [] });
  });

  test.each([4.9, 101, -1, Number.NaN, "50", null])("may not set the threshold %o", (percent) => {
    const { resolved, errors } = answering("threshold", percent);
    expect(resolved).toBeUndefined();
    expect(errors).toEqual([expect.stringMatching(/^threshold: its answer is .*; it must be a number from 5 to 100/)]);
  });

  test.each(["", " \n", 5, null])("may not set the prompt %o", (prompt) => {
    const { resolved, errors } = answering("prompt", prompt);
    expect(resolved).toBeUndefined();
    expect(errors).toEqual([expect.stringMatching(/^prompt: its answer is .*; it must be a string that is not blank/)]);
  });

  test.each([
    [{ type: "newest" }, /^truncationSelection: selection\.type is "newest"; it must be oldest, fraction, keepLast/],
    [{ type: "fraction", fracToRemove: 2 }, /selection\.fracToRemove is 2; it must be between 0 and 1/],
    [{ type: "keepLast", count: -1 }, /selection\.count is -1; it must be a number of at least 0/],
    ["oldest", /selection is "oldest"; it must be an object/],
    [null, /selection is null/],
  ])("may not select by %o", (selection, error) => {
    expect(answering("truncationSelection", selection)).toEqual({
      resolved: undefined,
      errors: [expect.stringMatching(error)],
    });
  });

  test("must answer at once, and a rejected promise is not left unhandled", async () => {
    const rejected = Promise.reject(new Error("too late"));
    expect(answering("threshold", rejected)).toEqual({
      resolved: undefined,
      errors: ["threshold: its answer is a promise; it must answer at once"],
    });
    // an unhandled rejection would fail the run
    await new Promise((resolve) => setImmediate(resolve));
  });

  test("are refused where they are none", () => {
    const create = (input: unknown) => Reflect.apply(safeResolvers, undefined, [input, () => {}]);
    const unmet = unmetFaults(create, [
      [null, /resolvers is null; it must be an object/],
      [{ threshold: 50 }, /resolvers\.threshold is 50; it must be a function/],
      [{}, "answers"],
    ]);
    expect(unmet).toEqual([]);
  });
});
