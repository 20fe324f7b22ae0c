import { describe, expect, test } from "vitest";
import { assistant, call, chat, result, user } from "../../../test/support/messages.ts";
import type { Message } from "../message/message.ts";
import type { EvalRow, EvalSession, EvalStrategy } from "./eval-types.ts";
import { compactSuccessively, type RunEvalsOptions, runEvals } from "./run-evals.ts";
import { seededRandom } from "./summary/seeded-random.ts";
import { renderView } from "./view/render-view.ts";

const FILLER = "and so the talk went on about nothing in particular, for a long while\n".repeat(4);

/**
 * 40 model calls, so that three boundaries have ten calls ahead. The first message names four identifiers. Near the end, within
 * every horizon, the agent uses two of them by itself, is told a third one again, and edits lines that it read at the beginning.
 */
function session(name = "s"): EvalSession {
  const turns = Array.from({ length: 40 }, (_, turn): readonly Message[] => {
    if (turn === 0)
      return [assistant(call("r", "Read", { path: "lib/z.ts" })), user(result("r", "let zeta = 1;\nlet eta = 2;"))];
    if (turn === 38) return [assistant("Use alpha_one, then beta_two."), user(`so gamma_three\n${FILLER}`)];
    if (turn === 39)
      return [
        assistant("gamma_three", call("e", "Edit", { path: "lib/z.ts", old_string: "let zeta = 1;\nlet eta = 2;" })),
      ];
    return [assistant(`step ${turn}`), user(FILLER)];
  });
  const first = user("Remember alpha_one for later.\nRemember beta_two as well.\ngamma_three and delta_four, too.");
  return { name, messages: [first, ...turns.flat()], compactions: [] };
}

const strategy = (name: string, view: string): EvalStrategy => ({ name, compact: () => view });

function run(strategies: readonly EvalStrategy[], options: Partial<RunEvalsOptions> = {}) {
  let now = 0;
  const clock = () => (now += 5);
  return runEvals([session()], {
    clock,
    random: seededRandom(1),
    strategies,
    budgets: [200],
    resamples: 20,
    ...options,
  });
}

function rowOf(rows: readonly EvalRow[], name: string): EvalRow {
  const row = rows.find(({ strategy: each }) => each === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}

describe("a run", () => {
  const { rows, cases, sessions } = run([
    strategy("half a line", "Remember alpha_one for later.\nbeta_two"),
    strategy("edits", "let zeta = 1;"),
    strategy("too large", `Remember alpha_one for later.\n${"word ".repeat(300)}`),
  ]);

  test("asks at the boundaries whose log is over the budget for what was used later", () => {
    expect(sessions).toEqual({ given: 1, measured: 1 });
    // alpha_one, beta_two and lib/z.ts.
    expect(cases).toMatchObject([{ budgetTokens: 200, sessions: 1, boundaries: 3, meanNeeded: 3, meanEditLines: 2 }]);
  });

  test("gives shares that can be counted by hand", () => {
    const row = rowOf(rows, "half a line");
    expect(row.frr?.mean).toBeCloseTo(2 / 3);
    expect(row.cfrr).toMatchObject({ mean: expect.closeTo(1 / 3), low: expect.closeTo(1 / 3), sessions: 1 });
    expect(row.ear?.mean).toBe(0);
    expect(rowOf(rows, "edits")).toMatchObject({ frr: { mean: 0 }, ear: { mean: 0.5 } });
  });

  test("counts a view over the budget as empty, and says so", () => {
    expect(rowOf(rows, "too large")).toMatchObject({ overBudget: 3, frr: { mean: 0 }, ear: { mean: 0 } });
  });

  test("takes the time of each compaction from the clock", () => {
    expect(rowOf(rows, "edits").latencyMs).toEqual({ p50: 5, p95: 5 });
  });

  test("puts the whole log at the top of the scale and the oracle beside it", () => {
    expect(rowOf(rows, "everything")).toMatchObject({ frr: { mean: 1 }, cfrr: { mean: 1 }, ear: { mean: 1 } });
    expect(rowOf(rows, "oracle")).toMatchObject({
      frr: { mean: 1 },
      cfrr: { mean: 1 },
      ear: { mean: 1 },
      overBudget: 0,
    });
    expect(rowOf(rows, "oracle").meanViewTokens).toBeLessThan(60);
  });

  test("adds what one query of the agent recalls", () => {
    const row = rowOf(rows, "edits");
    expect(row.cfrrWithRecall?.mean).toBeGreaterThan(row.cfrr?.mean ?? 1);
    expect(row.cfrrWithRecall?.mean).toBeLessThanOrEqual(1);
  });

  test("compares ten compactions with one", () => {
    const forgetful: EvalStrategy = {
      name: "forgetful",
      compact: (messages) =>
        messages.length > 10
          ? "Remember alpha_one for later.\nRemember beta_two as well."
          : "Remember beta_two as well.",
    };
    const { successive } = rowOf(run([forgetful]).rows, "forgetful");
    expect(successive).toMatchObject({ single: expect.closeTo(2 / 3), successive: expect.closeTo(1 / 3), sessions: 1 });
    expect(successive?.kept).toBeCloseTo(0.5);
  });
});

describe("a run over sessions of all kinds", () => {
  test("is the same for the same seed, and plain data", () => {
    const again = () => run([strategy("one", "alpha_one")]);
    expect(again()).toEqual(again());
    expect(JSON.parse(JSON.stringify(again()))).toEqual(again());
  });

  test("takes the mean over the boundaries of each session before the mean over sessions", () => {
    const short = { ...session("short"), messages: session().messages.slice(0, 30) };
    const result = runEvals([session("long"), short, session("other")], {
      clock: () => 0,
      random: seededRandom(1),
      strategies: [strategy("one", "alpha_one")],
      budgets: [200],
    });
    expect(rowOf(result.rows, "one").frr).toMatchObject({ mean: expect.closeTo(1 / 3), sessions: 2 });
  });

  test("has no numbers where nothing can be measured", () => {
    const quiet = { name: "quiet", messages: Array.from({ length: 50 }, () => user(FILLER)), compactions: [] };
    const empty = { name: "empty", messages: [], compactions: [] };
    const result = runEvals([quiet, empty], { clock: () => 0, random: seededRandom(1) });
    expect(result.sessions).toEqual({ given: 2, measured: 0 });
    expect(result.rows.every(({ frr, cfrr, ear, boundaries }) => !frr && !cfrr && !ear && boundaries === 0)).toBe(true);
    expect(runEvals([], { clock: () => 0, random: seededRandom(1) }).sessions.given).toBe(0);
  });

  test("leaves out boundaries with a short log, and takes no more of a session than it is told", () => {
    const all = run([]).cases[0];
    const longest = run([], { boundariesPerSession: 1 }).cases[0];
    expect([all?.boundaries, longest?.boundaries]).toEqual([3, 1]);
    expect(longest?.meanLogTokens).toBeGreaterThan(all?.meanLogTokens ?? 0);
    expect(run([], { boundariesPerSession: 2 }).cases[0]?.boundaries).toBe(2);
    const leastLogTokens = longest?.meanLogTokens ?? 0;
    expect(run([], { leastLogTokens }).cases[0]).toMatchObject({ boundaries: 1, meanLogTokens: leastLogTokens });
  });

  test("sums up each group of boundaries by itself", () => {
    const other = { ...session("other"), messages: session().messages.slice(1) };
    const { groups, rows } = runEvals([session("long"), other], {
      clock: () => 0,
      random: seededRandom(1),
      strategies: [strategy("one", "alpha_one")],
      budgets: [200],
      groupsOf: ({ name }, logTokens) => [name, logTokens > 1_500 ? "late" : "early"],
    });
    expect(groups.map(({ name }) => name)).toEqual(["long", "early", "late", "other"]);
    const frrOf = (name: string) => rowOf(groups.find((each) => each.name === name)?.rows ?? [], "one").frr?.mean;
    expect([frrOf("long"), frrOf("other")]).toEqual([expect.closeTo(1 / 3), 0]);
    const boundaries = groups.map(({ cases }) => cases[0]?.boundaries ?? 0);
    expect((boundaries[1] ?? 0) + (boundaries[2] ?? 0)).toBe(rowOf(rows, "one").boundaries);
    expect(run([]).groups).toEqual([]);
  });

  test("refuses budgets that are none", () => {
    expect(() => run([], { budgets: [0] })).toThrow(/options.budgets is 0/);
    expect(() => run([], { boundariesPerSession: 0 })).toThrow(/options.boundariesPerSession is 0/);
    expect(() => run([], { leastLogTokens: -1 })).toThrow(/options.leastLogTokens is -1/);
  });
});

describe("compacting successively", () => {
  test("hands over the view before and what was said since, ten times, the last time at the end", () => {
    const seen: string[][] = [];
    const strategy = {
      name: "last two",
      compact(messages: readonly Message[]) {
        seen.push(messages.map(({ id }) => id ?? ""));
        return messages.slice(-2);
      },
    };
    const view = compactSuccessively(strategy, chat(40), 100);
    expect(seen).toHaveLength(10);
    expect(seen[0]).toEqual(["m0", "m1", "m2", "m3", "m4"]);
    expect(seen[1]).toEqual(["m3", "m4", "m5", "m6", "m7", "m8"]);
    expect(renderView(view)).toBe("[user]\nask 38\n[assistant]\nreply 39");
  });

  test("hands over a text as the message of a user", () => {
    const strategy = {
      name: "count",
      compact: (messages: readonly Message[]) => `${renderView(messages.slice(0, 1))}+${messages.length}`,
    };
    expect(compactSuccessively(strategy, chat(4), 100)).toMatch(/^\[user\]\n\[user\]\n/);
  });

  test("compacts a log without replies once", () => {
    let calls = 0;
    const strategy = { name: "none", compact: () => `${++calls}` };
    expect(compactSuccessively(strategy, [user("a"), user("b")], 100)).toBe("1");
    expect(compactSuccessively(strategy, [], 100)).toBe("2");
  });
});
