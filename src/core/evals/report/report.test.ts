import { describe, expect, test } from "vitest";
import type { EvalResult, EvalRow } from "../eval-types.ts";
import { evalPlot } from "./eval-plot.ts";
import { evalTable } from "./eval-table.ts";

const estimate = (mean: number) => ({ mean, low: mean - 0.1, high: mean + 0.1, sessions: 9 });

function row(strategy: string, budgetTokens: number, mean: number | undefined): EvalRow {
  const shares =
    mean === undefined ? {} : { frr: estimate(mean), cfrr: estimate(mean), cfrrWithRecall: estimate(mean) };
  const latencyMs = { p50: 1.25, p95: 12 };
  return { strategy, budgetTokens, boundaries: 4, ...shares, meanViewTokens: 3_950, overBudget: 0, latencyMs };
}

const summary = { sessions: 2, boundaries: 4, meanNeeded: 12.5, meanEditLines: 3, meanLogTokens: 41_638 };

const RESULT: EvalResult = {
  budgets: [4_000, 8_000],
  sessions: { given: 5, measured: 2 },
  cases: [4_000, 8_000].map((budgetTokens) => ({ budgetTokens, ...summary })),
  rows: [
    {
      ...row("keep <last>", 4_000, 0.5),
      overBudget: 2,
      successive: { single: 0.5, successive: 0.4, kept: 0.8, sessions: 2 },
    },
    {
      ...row("ours", 4_000, undefined),
      successive: { single: 0.01, successive: 0.03, kept: 3, sessions: 2 },
    },
    row("keep <last>", 8_000, 0.6),
    row("ours", 8_000, 0.62),
    row("everything", 8_000, 1),
  ],
  groups: [],
};

describe("the table", () => {
  const table = evalTable(RESULT);

  test("gives percent with intervals, and a dash where nothing was measured", () => {
    expect(table).toContain("2 of 5 sessions");
    expect(table).toMatch(/Budget 4,000: 4 boundaries in 2 sessions, on average 41,638 tokens/);
    expect(table).toMatch(/^keep <last> \(2 over budget\) +50\.0 % \[40–60\].* 80\.0 % +3,950 +1\.3 +12\.0$/m);
    expect(table).toMatch(/^ours +– +– +– +– +– +3,950/m);
  });

  test("shows no ratio to next to nothing", () => {
    expect(table).not.toContain("300.0 %");
  });

  test("marks the ends of the scale", () => {
    expect(table).toMatch(/^everything \(reference\) +100\.0 %/m);
    expect(table).not.toContain("ours (reference)");
  });

  test("says below what each column means", () => {
    const legend = table.split("\n\n").at(-1)?.split("\n") ?? [];
    const headings = ["cFRR", "FRR", "EAR", "cFRR+1q", "after 10", "tokens", "p50 ms", "p95 ms"];
    for (const heading of headings) {
      expect(legend.filter((line) => line.startsWith(`${heading}  `))).toHaveLength(1);
    }
  });

  test("counts one as one, and draws no table where nothing was measured", () => {
    const single = evalTable({
      ...RESULT,
      sessions: { given: 1, measured: 1 },
      cases: [
        { ...summary, budgetTokens: 4_000, sessions: 1, boundaries: 1 },
        { ...summary, budgetTokens: 8_000, sessions: 0, boundaries: 0 },
      ],
    });
    expect(single).toContain("1 of 1 session is long enough");
    expect(single).toContain("Budget 4,000: 1 boundary in 1 session, on average");
    expect(single).toContain("Budget 8,000: no session is long enough.");
    expect(single).not.toContain("everything (reference)");
  });

  test("has columns that line up", () => {
    const lines = table.split("\n\n")[1]?.split("\n").slice(1) ?? [];
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  });
});

describe("the plot", () => {
  const svg = evalPlot(RESULT, { highlight: "ours" });

  test("has a line for each strategy, not for the whole log, with a point for each budget that was measured", () => {
    expect(svg.match(/<polyline/g)).toHaveLength(2);
    expect(svg.match(/<circle/g)).toHaveLength(3);
    expect(svg).toContain("8k tokens");
  });

  test("escapes names, and keeps labels apart", () => {
    expect(svg).toContain("keep &lt;last&gt; 60 %");
    expect(svg).not.toContain("<last>");
    const heights = [...svg.matchAll(/<text x="586" y="([\d.]+)"/g)].map((match) => Number(match[1]));
    expect(heights).toHaveLength(2);
    expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0))).toBeGreaterThanOrEqual(16);
  });

  test("has no background of its own", () => {
    expect(svg).not.toMatch(/<rect|background/);
  });

  test("draws an empty result, and refuses a measure that does not exist", () => {
    expect(evalPlot({ ...RESULT, rows: [] })).toMatch(/^<svg.*<\/svg>\n$/s);
    // @ts-expect-error not a measure
    expect(() => evalPlot(RESULT, { measure: "speed" })).toThrow(/measure is "speed"/);
  });
});
