import { describe, expect, test } from "vitest";
import { assistant, call, log, result, tag, user } from "../../../test/support/messages.ts";
import { factSurvival, factSurvivalValidator } from "./fact-survival.ts";

const names = (facts: readonly { readonly value: string }[]) => facts.map(({ value }) => value);

describe("factSurvival", () => {
  const hidden = [user("Never touch legacy_table.\nLook at src/db/schema.ts and port 5432.")];

  test("is the weighted share of facts that the summary or the kept messages name", () => {
    // Weights: legacy_table 3 + 1, schema.ts 1, 5432 1.
    expect(factSurvival(hidden, [], "legacy_table stays").score).toBeCloseTo(4 / 6);
    expect(factSurvival(hidden, [assistant("legacy_table")], "on port 5432").score).toBeCloseTo(5 / 6);
    expect(factSurvival(hidden, [], "nothing").score).toBe(0);
  });

  test("names what is missing, heaviest first", () => {
    expect(names(factSurvival(hidden, [], "port 5432").missing)).toEqual(["legacy_table", "src/db/schema.ts"]);
  });

  test("is 1 where nothing critical is hidden", () => {
    expect(factSurvival([user("hello there")], [], "")).toEqual({
      score: 1,
      factCount: 0,
      namedBySummary: 0,
      missing: [],
    });
  });

  test.each([
    ["the whole name only", "legacy_table", "legacy_tables and my_legacy_table", 0],
    ["a part of a qualified name", "Session_store", "Session_store.close()", 1],
    ["a path by its last segments", "/home/ann/app/src/db/schema.ts", "in `db/schema.ts`:", 1],
    ["a path inside a longer one", "src/db/schema.ts", "/home/ann/app/src/db/schema.ts", 1],
    ["no other file of the same name", "src/db/index.ts", "src/web/index.ts", 0],
    ["a hash by its first digits", "746e1c5a0b1c2d3e4f", "commit 746e1c5", 1],
    ["a call without its brackets", "parse()", "the parse function", 1],
  ])("takes %s", (_, fact, summary, score) => {
    expect(factSurvival([user(`See ${fact} `)], [], summary).score).toBe(score);
  });

  test("sees facts in kept calls, results and unknown blocks", () => {
    const kept = [
      assistant(call("1", "bash", { command: "psql --port 5432" })),
      user(result("1", "legacy_table"), { type: "document", title: "src/db/schema.ts" }),
    ];
    expect(factSurvival(hidden, kept, "").score).toBe(1);
  });
});

describe("factSurvivalValidator", () => {
  const view = log(
    user("Build the importer."),
    user("Never touch legacy_table. Use src/db/schema.ts, parse_row, row_batch, batch_size and port 5432."),
    assistant("I changed parse_row."),
    user("go on"),
  );
  const [first, , , last] = view;
  const condensedBy = (text: string) => {
    const summary = tag(assistant(text), { isSummary: true, condenseId: "c" });
    return [first, summary, last].filter((message) => message !== undefined);
  };
  const judge = (text: string, minScore?: number) =>
    factSurvivalValidator(minScore === undefined ? {} : { minScore }).validate(view, condensedBy(text), text);

  test("accepts a summary that carries a good part", () => {
    const verdict = judge("The importer must not touch legacy_table; parse_row was changed.");
    expect(verdict.isValid).toBe(true);
    expect(verdict.score).toBeGreaterThan(0.3);
    expect(verdict.issues).toEqual([expect.stringContaining("src/db/schema.ts")]);
  });

  test.each([
    ["an apology", "I'm sorry, but I cannot help with that."],
    ["an echo of the prompt", "Write a summary with key technical concepts, files and pending tasks."],
    [
      "a summary of something else",
      "We fixed the login form: LoginForm.tsx validates user_email with zod and --strict.",
    ],
  ])("refuses %s", (_, text) => {
    expect(judge(text).isValid).toBe(false);
  });

  test("demands more where more is asked for", () => {
    expect(judge("legacy_table, parse_row", 1).isValid).toBe(false);
    expect(judge("legacy_table, parse_row", 0).isValid).toBe(true);
  });

  test("does not refuse for a fact or two", () => {
    const small = log(user("a"), user("see foo_bar"), user("b"));
    const validator = factSurvivalValidator({ minScore: 1 });
    expect(validator.validate(small, [], "nothing")).toMatchObject({ isValid: true, score: 0 });
  });

  test("refuses a summary that names none of many lost facts, though the kept messages show others", () => {
    const lost = Array.from({ length: 12 }, (_, index) => `never lose_${index}`).join("\n");
    const shown = "never drop shown_a, shown_b, shown_c, shown_d, shown_e, shown_f";
    const original = log(user(`${lost}\n${shown}`), assistant(shown));
    const verdict = factSurvivalValidator().validate(original, original.slice(1), "We talked about the weather.");
    expect(verdict.isValid).toBe(false);
    expect(verdict.score).toBeGreaterThan(0.2);
    expect(factSurvivalValidator({ minScore: 0 }).validate(original, original.slice(1), "The weather.").isValid).toBe(
      true,
    );
    expect(factSurvivalValidator().validate(original, original.slice(1), "lose_1 and so on").isValid).toBe(true);
  });

  test("names at most ten facts in an issue", () => {
    const [issue] = factSurvivalValidator().validate(
      [user("never a_1 a_2 a_3 a_4 a_5 a_6 a_7 a_8 a_9 a_10 a_11 a_12")],
      [],
      "",
    ).issues;
    expect(issue).toContain("and 2 more");
  });

  test.each([-0.1, 1.1, null, "0.5"])("rejects a minScore of %s", (minScore) => {
    expect(() => factSurvivalValidator(JSON.parse(JSON.stringify({ minScore })))).toThrow(/minScore/);
  });
});
