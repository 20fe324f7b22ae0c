import type { CaseSummary, Estimate, EvalResult, EvalRow } from "../eval-types.ts";

const HEADINGS = ["strategy", "cFRR", "FRR", "EAR", "cFRR+1q", "after 10", "tokens", "p50 ms", "p95 ms"];

/** The result as plain text: one table for each budget; percent with the 95 % interval, `–` where nothing could be measured. */
export function evalTable(result: EvalResult): string {
  const { given, measured } = result.sessions;
  const heading = `${measured} of ${given} sessions are long enough to be measured.`;
  const tables = result.cases.map((summary) => {
    const rows = result.rows.filter(({ budgetTokens }) => budgetTokens === summary.budgetTokens);
    return [describeCases(summary), ...layOut([HEADINGS, ...rows.map(cellsOf)])].join("\n");
  });
  return [heading, ...tables].join("\n\n");
}

function describeCases(summary: CaseSummary): string {
  const { budgetTokens, sessions, boundaries, meanNeeded, meanEditLines, meanLogTokens } = summary;
  return (
    `Budget ${thousands(budgetTokens)}: ${boundaries} boundaries in ${sessions} sessions, on average ` +
    `${thousands(meanLogTokens)} tokens of log, ${meanNeeded.toFixed(1)} needed identifiers, ${meanEditLines.toFixed(1)} lines to edit.`
  );
}

function cellsOf(row: EvalRow): readonly string[] {
  const { strategy, overBudget, successive, meanViewTokens, latencyMs } = row;
  return [
    overBudget > 0 ? `${strategy} (${overBudget} over budget)` : strategy,
    interval(row.cfrr),
    interval(row.frr),
    interval(row.ear),
    interval(row.cfrrWithRecall),
    successive?.kept === undefined ? "–" : percent(successive.kept),
    thousands(meanViewTokens),
    latencyMs.p50.toFixed(1),
    latencyMs.p95.toFixed(1),
  ];
}

function interval(estimate: Estimate | undefined): string {
  if (estimate === undefined) return "–";
  const { mean, low, high } = estimate;
  return `${percent(mean)} [${Math.round(low * 100)}–${Math.round(high * 100)}]`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function thousands(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** The first column to the left, the others to the right. */
function layOut(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
