import { describe, expect, test } from "vitest";
import type { TruncationSelection } from "../truncate/fit-options.ts";
import { planManagement, type Rung } from "./plan-management.ts";
import type { ManagementDecision } from "./will-manage-context.ts";

const HALF: TruncationSelection = { type: "fraction", fracToRemove: 0.5 };
const truncate: Rung = { type: "truncate", selection: HALF };

function decision(changes: Partial<ManagementDecision>): ManagementDecision {
  return {
    shouldCondense: false,
    mayCondense: true,
    mustShrink: false,
    prevContextTokens: 60_000,
    allowedTokens: 80_000,
    usedPercent: 60,
    thresholdPercent: 50,
    triggerTokens: 50_000,
    overheadTokens: 0,
    ...changes,
  };
}

describe("the target", () => {
  test("is of what is said, however large system prompt and tools are", () => {
    const crowded = decision({
      mustShrink: true,
      overheadTokens: 40_000,
      allowedTokens: 50_000,
      triggerTokens: 60_000,
    });
    expect(planManagement(crowded, { foldsToolResults: false, selection: HALF })).toMatchObject({
      targetTokens: 47_000,
      allowedTokens: 50_000,
    });
  });
});

describe("a plan", () => {
  test("for a prompt that is under the threshold and the limit is that it fits", () => {
    expect(planManagement(decision({}), { foldsToolResults: true, selection: HALF })).toEqual({ type: "fits" });
  });

  test.each<[string, Partial<ManagementDecision>, boolean, TruncationSelection | undefined, readonly Rung[]]>([
    ["condenses at the threshold", { shouldCondense: true }, false, HALF, [{ type: "condense" }]],
    ["truncates over the limit", { mustShrink: true }, false, HALF, [truncate]],
    [
      "condenses before it truncates",
      { shouldCondense: true, mustShrink: true },
      false,
      HALF,
      [{ type: "condense" }, truncate],
    ],
    [
      "folds tool results before anything else",
      { shouldCondense: true, mustShrink: true },
      true,
      HALF,
      [{ type: "dedupe" }, { type: "clear" }, { type: "condense" }, truncate],
    ],
    [
      "never truncates where that is not allowed",
      { shouldCondense: true, mustShrink: true },
      false,
      undefined,
      [{ type: "condense" }],
    ],
    ["has no rung at all where nothing is allowed", { mustShrink: true }, false, undefined, []],
  ])("%s", (_, changes, foldsToolResults, selection, rungs) => {
    expect(planManagement(decision(changes), { foldsToolResults, selection })).toMatchObject({ type: "fold", rungs });
  });

  test.each([
    ["the threshold, where that comes first", { allowedTokens: 80_000, triggerTokens: 50_000 }, 35_000],
    ["the limit, where that comes first", { allowedTokens: 40_000, triggerTokens: 50_000 }, 28_000],
    ["nothing, where even the reply has no room", { allowedTokens: -500, triggerTokens: 50_000 }, 0],
  ])("aims well below %s", (_, changes, targetTokens) => {
    const plan = planManagement(decision({ ...changes, mustShrink: true }), {
      foldsToolResults: false,
      selection: HALF,
    });
    expect(plan).toMatchObject({ allowedTokens: changes.allowedTokens });
    expect(plan.type === "fold" && plan.targetTokens).toBeCloseTo(targetTokens);
  });

  test("aims at the share of what is allowed that it is told, and clears nothing, which cannot be aimed", () => {
    const over = decision({ shouldCondense: true, mustShrink: true, allowedTokens: 80_000, triggerTokens: 50_000 });
    const plan = planManagement(over, { foldsToolResults: true, selection: HALF, targetShare: 0.95 });
    expect(plan).toMatchObject({ rungs: [{ type: "dedupe" }, { type: "condense" }, truncate], allowedTokens: 80_000 });
    expect(plan.type === "fold" && plan.targetTokens).toBeCloseTo(76_000);
  });

  test("is plain data: it says the same after a round trip through JSON", () => {
    const plan = planManagement(decision({ shouldCondense: true, mustShrink: true }), {
      foldsToolResults: true,
      selection: { type: "keepLast", count: 20 },
    });
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });
});
