import { expect, test } from "vitest";
import { log, user } from "../../../test/support/messages.ts";
import { displayWidth } from "../terminal/display-width.ts";
import { progressLine, recallText, stepLine } from "./render.ts";
import type { ReplayStep } from "./replay.ts";
import { type RecalledFact, reportOn } from "./report.ts";

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

const FACT: RecalledFact = {
  question: "How wide is the gate?",
  answer: "412 cm",
  isHiddenInView: true,
  isFound: true,
  tokens: 1_234,
  excerpt: "The gate is 412 cm wide.",
  messageId: "m-007",
};

function textOf(...recalled: readonly RecalledFact[]): string {
  const report = reportOn([], { session: log(user("Hello")), facts: [], contextWindow: 100, maxTokens: 1, recalled });
  return recallText(report, 2.6);
}

test("a fact that was found is shown with its question, its line and its message", () => {
  expect(textOf(FACT, { ...FACT, isFound: false }).split("\n")).toEqual([
    "  recall, for the oldest fact that the ledger's view hides: 1,234 tokens in 3 ms, index included",
    "    ? How wide is the gate?",
    "    ✓ m-007 │ The gate is 412 cm wide.",
    "  1 of 2 hidden facts are found by one recall each; all can be restored",
    "",
    "",
  ]);
});

test("the answer is seen however long its line is, and the line fits the screen", () => {
  const long = "about the lock and the quay ".repeat(20);
  for (const excerpt of [`${long}412 cm ${long}`, `412 cm ${long}`, `${"潮見港の".repeat(40)}412 cm`]) {
    const shown = textOf({ ...FACT, excerpt }).split("\n")[2] ?? "";
    expect(shown).toContain("412 cm");
    expect(displayWidth(shown)).toBeLessThanOrEqual(100);
  }
});

test("what an excerpt holds cannot steer the terminal", () => {
  expect(textOf({ ...FACT, excerpt: "412 cm \x1b[2J" })).not.toContain("\x1b");
});

test("an answer that was not found is named as missing", () => {
  const text = textOf({ ...FACT, isFound: false, excerpt: undefined, messageId: undefined });
  expect(text).toContain('✗ no excerpt holds "412 cm"');
  expect(text).toContain("0 of 1 hidden facts");
});

test("where every fact is visible, it says so", () => {
  expect(textOf()).toContain("every fact is still visible");
});
