import { REFERENCES } from "../contestants.ts";
import type { CaseSummary, Estimate, EvalResult, EvalRow, SuccessiveRow } from "../eval-types.ts";

const COLUMNS: readonly (readonly [string, string])[] = [
  [
    "cFRR",
    "needed identifiers that the view shows in a line of the log, word for word (needed: used later, not told again)",
  ],
  ["FRR", "needed identifiers that the view names at all, also in a bare list"],
  ["EAR", "lines that the agent replaced later and that the view shows"],
  ["cFRR+1q", "cFRR, where for each identifier that is missed one query to recall over the log is allowed"],
  [
    "after 10",
    "cFRR after ten compactions on the way, as a share of cFRR after a single one; – where that is under 5 %",
  ],
  ["tokens", "mean size of the view"],
  ["p50 ms", "time of one compaction: half of them take no longer"],
  ["p95 ms", "the same for 95 % of them"],
];

const NOTES = [
  "Percent are means over sessions, with the 95 % interval in brackets. A view over its budget counts as empty.",
  "References are no ways to compact: the oracle knows what will be needed; everything is the whole log, over the budget.",
];

const NAME_WIDTH = 2 + Math.max(...COLUMNS.map(([name]) => name.length));

/** Explains the columns of the table, one line for each, and its rows. */
const EVAL_LEGEND: string = [
  ...COLUMNS.map(([name, meaning]) => `${name.padEnd(NAME_WIDTH)}${meaning}`),
  ...NOTES,
].join("\n");

const HEADINGS = ["strategy", "cFRR", "FRR", "EAR", "cFRR+1q", "after 10", "tokens", "p50 ms", "p95 ms"];

/** Below this share, a single identifier could double the ratio. */
const SMALLEST_BASE = 0.05;

const REFERENCE_NAMES: ReadonlySet<string> = new Set(REFERENCES.map(({ name }) => name));

/**
 * The result as plain text: one table for each budget, then a legend of the columns. Percentages have their 95 % interval; `–` where
 * nothing could be measured.
 * @example
 * ```ts
 * import { evalTable, runEvals, seededRandom } from "palimpsest/evals";
 * const result = runEvals([], { clock: () => 0, random: seededRandom(1), budgets: [1_000] });
 * console.log(evalTable(result).includes("cFRR")); // true
 * ```
 */
export function evalTable(result: EvalResult): string {
  const { given, measured } = result.sessions;
  const verb = measured === 1 || given === 1 ? "is" : "are";
  const heading = `${measured} of ${countOf(given, "session")} ${verb} long enough to be measured.`;
  const tables = result.cases.map((summary) => {
    const rows = result.rows.filter(({ budgetTokens }) => budgetTokens === summary.budgetTokens);
    if (summary.boundaries === 0) return `Budget ${thousands(summary.budgetTokens)}: no session is long enough.`;
    return [describeCases(summary), ...layOut([HEADINGS, ...rows.map(cellsOf)])].join("\n");
  });
  return [heading, ...tables, EVAL_LEGEND].join("\n\n");
}

function describeCases(summary: CaseSummary): string {
  const { budgetTokens, sessions, boundaries, meanNeeded, meanEditLines, meanLogTokens } = summary;
  return (
    `Budget ${thousands(budgetTokens)}: ${countOf(boundaries, "boundary", "boundaries")} in ${countOf(sessions, "session")}, on average ` +
    `${thousands(meanLogTokens)} tokens of log, ${meanNeeded.toFixed(1)} needed identifiers, ${meanEditLines.toFixed(1)} lines to edit.`
  );
}

function cellsOf(row: EvalRow): readonly string[] {
  const { overBudget, meanViewTokens, latencyMs } = row;
  return [
    [
      row.strategy,
      ...(REFERENCE_NAMES.has(row.strategy) ? ["(reference)"] : []),
      ...(overBudget > 0 ? [`(${overBudget} over budget)`] : []),
    ].join(" "),
    interval(row.cfrr),
    interval(row.frr),
    interval(row.ear),
    interval(row.cfrrWithRecall),
    keptShare(row.successive),
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

function keptShare(successive: SuccessiveRow | undefined): string {
  if (successive?.kept === undefined || successive.single < SMALLEST_BASE) return "–";
  return percent(successive.kept);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function thousands(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${thousands(count)} ${count === 1 ? noun : plural}`;
}

/** Aligns the first column to the left, the others to the right. */
function layOut(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
