import { describe, expect, test } from "vitest";
import { chat } from "../../../test/support/messages.ts";
import type { CondensationValidator } from "../ports/condensation.ts";
import { defaultValidators } from "./default-validators.ts";
import { runValidators } from "./run-validators.ts";

const view = chat(4);
const run = (...validators: readonly CondensationValidator[]) =>
  runValidators(validators, view, view.slice(1), "summary");

const says = (name: string, isValid: boolean, score: number, ...issues: readonly string[]): CondensationValidator => ({
  name,
  validate: () => ({ isValid, issues, score }),
});

function fail(): never {
  throw new Error("no value");
}

/** A validator from plain JavaScript, which may answer anything. */
function answers(name: string, answer: () => unknown): CondensationValidator {
  return Object.assign(says(name, true, 1), { validate: answer });
}

describe("runValidators", () => {
  test("accepts what no validator refuses, with all scores and remarks", () => {
    expect(run(says("a", true, 0.5, "could be shorter"), says("b", true, 1))).toEqual({
      isValid: true,
      issues: ["a: could be shorter"],
      refusals: [],
      scores: { a: 0.5, b: 1 },
      faults: [],
    });
  });

  test("refuses what one validator refuses, and still asks the others", () => {
    expect(run(says("a", false, 0, "too long"), says("b", true, 1, "fine"))).toMatchObject({
      isValid: false,
      issues: ["a: too long", "b: fine"],
      refusals: ["a: too long"],
      scores: { a: 0, b: 1 },
    });
  });

  test("accepts everything where there is no validator", () => {
    expect(run()).toEqual({ isValid: true, issues: [], refusals: [], scores: {}, faults: [] });
  });

  test("hands over both views and the summary", () => {
    const given: unknown[] = [];
    run(answers("a", (...input: readonly unknown[]) => given.push(...input)));
    expect(given).toEqual([view, view.slice(1), "summary"]);
  });

  test.each([
    ["nothing", () => undefined],
    ["null", () => null],
    ["a word", () => "yes"],
    ["a promise", () => Promise.resolve({ isValid: false, issues: [], score: 0 })],
    ["a promise that fails", () => Promise.reject(new Error("late"))],
    ["no number as a score", () => ({ isValid: false, issues: [], score: Number.NaN })],
    ["a score out of range", () => ({ isValid: false, issues: [], score: 85 })],
    ["no verdict", () => ({ issues: [], score: 1 })],
    ["no issues", () => ({ isValid: false, score: 0 })],
    ["issues that are no texts", () => ({ isValid: false, issues: [1], score: 0 })],
    ["a getter that throws", () => Object.defineProperty({}, "isValid", { get: fail })],
  ])("reports a validator that returns %s, and lets the others decide", (_, answer) => {
    const { isValid, faults, scores } = run(answers("broken", answer), says("sound", true, 1));
    expect({ isValid, scores }).toEqual({ isValid: true, scores: { sound: 1 } });
    expect(faults).toEqual([expect.stringMatching(/^broken (returned|threw) .*\.$/)]);
    expect(run(answers("broken", answer), says("sound", false, 0)).isValid).toBe(false);
  });

  test.each([
    [new Error("no model"), 'broken threw "no model".'],
    ["text", 'broken threw "text".'],
    [undefined, "broken threw undefined."],
    [Object.create(null), "broken threw an object."],
  ])("reports a validator that throws %s", (thrown, fault) => {
    const broken = answers("broken", () => {
      throw thrown;
    });
    expect(run(broken, says("sound", true, 1))).toMatchObject({ isValid: true, faults: [fault] });
  });

  test("tells validators apart by place where they have no name, and keeps odd names", () => {
    expect(run(says("", true, 1), says("__proto__", true, 0.5)).scores).toEqual(
      Object.fromEntries([
        ["validator 1", 1],
        ["__proto__", 0.5],
      ]),
    );
  });

  test("keeps the lower score of two validators with one name", () => {
    expect(run(says("a", true, 0.4), says("a", true, 0.9)).scores).toEqual({ a: 0.4 });
  });
});

describe("defaultValidators", () => {
  test("are tokens, summary quality, fact survival and back-test, in that order", () => {
    const names = ["tokens", "summary-quality", "fact-survival", "back-test"];
    expect(defaultValidators().map(({ name }) => name)).toEqual(names);
  });

  test("pass their options on", () => {
    const summary = "Short.";
    const verdict = runValidators(
      defaultValidators({
        tokens: { minSavingPercent: 0 },
        summaryQuality: { minWords: 0 },
        factSurvival: { minScore: 0 },
        backTest: { minShare: 0 },
      }),
      view,
      view.slice(1),
      summary,
    );
    expect(verdict).toMatchObject({ isValid: true, faults: [] });
    expect(() => defaultValidators({ tokens: { minSavingPercent: -1 } })).toThrow(/minSavingPercent/);
  });
});
