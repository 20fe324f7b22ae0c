import { expect, test } from "vitest";
import { progressLine, stepLine } from "./render.ts";
import type { ReplayStep } from "./replay.ts";

const STEP: ReplayStep = {
  strategy: "summary",
  turn: 7,
  turns: 82,
  contextWindow: 32_000,
  logTokens: 90_000,
  tokensBefore: 24_000,
  viewTokens: 5_000,
  folds: ["condense", "clip"],
  isOverflow: false,
  isInvalid: false,
};

test("a fold is drawn as what is sent, what was folded away and what is free", () => {
  expect(stepLine(STEP)).toBe(
    `  turn   7  ${"█".repeat(5)}${"▒".repeat(19)}${"·".repeat(8)}  24,000 →  5,000  condense + clip`,
  );
});

test("more than the window ends in an arrow, and no bar is wider than another", () => {
  const line = stepLine({ ...STEP, tokensBefore: 60_000 }) ?? "";
  expect(line).toContain(`${"█".repeat(5)}${"▒".repeat(26)}▶`);
  const widths = [0, 5_000, 31_990, 32_000, 60_000].map((viewTokens) => progressLine({ ...STEP, viewTokens }));
  expect(new Set(widths.map((progress) => /[█▒·▶]+/.exec(progress)?.[0].length))).toEqual(new Set([32]));
});

test("a turn without folds has no line", () => {
  expect(stepLine({ ...STEP, folds: [] })).toBeUndefined();
});
