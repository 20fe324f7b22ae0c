import type { Estimate, EvalGroup, EvalResult, EvalRow } from "palimpsest/evals";

/** One line for each group, strategy and budget: `cFRR / EAR / cFRR+1q`, as percent. */
export function groupTable({ groups, budgets }: EvalResult, strategies: readonly string[]): string {
  const heading = ["group", "boundaries", "strategy", ...budgets.map((budget) => `${budget / 1_000}k`)];
  const rows = groups.flatMap((group) =>
    strategies.map((strategy) => [
      group.name,
      String(Math.max(...group.cases.map(({ boundaries }) => boundaries))),
      strategy,
      ...budgets.map((budget) => cellOf(rowOf(group, strategy, budget))),
    ]),
  );
  const table = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return ["By group: cFRR / EAR / cFRR+1q", ...lines.map((line) => line.trimEnd())].join("\n");
}

function rowOf({ rows }: EvalGroup, strategy: string, budgetTokens: number): EvalRow | undefined {
  return rows.find((row) => row.strategy === strategy && row.budgetTokens === budgetTokens);
}

function cellOf(row: EvalRow | undefined): string {
  return [row?.cfrr, row?.ear, row?.cfrrWithRecall].map(percent).join(" / ");
}

function percent(estimate: Estimate | undefined): string {
  return estimate === undefined ? "–" : (100 * estimate.mean).toFixed(1);
}
