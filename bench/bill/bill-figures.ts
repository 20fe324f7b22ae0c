/** The tables of docs/figures.md that docs/images/bill.json holds, as Markdown. Run: npx node bench/bill/bill-figures.ts */
import type { BillResult, BillTable } from "./bench-bill.ts";
import type { BillRow } from "./bill-table.ts";
import { readBillResult } from "./draw-bill.ts";

const OURS = "ours (balanced)";
const USUAL_WINDOW = 200_000;

/** What docs/figures.md calls a policy, where that is not its own name. */
const LABELS: Readonly<Record<string, string>> = {
  "masking each turn": "masking old results at each call",
  "clear_tool_uses (Anthropic)": "Anthropic's `clear_tool_uses`",
  "ours, threshold": "ours, by a threshold",
  "ours, careful": "ours, `careful`",
  [OURS]: "ours, `balanced` (the default)",
  "ours, thrifty": "ours, `thrifty`",
  "optimum, found afterwards": "optimum, found afterwards, leaving 16,000 tokens",
};

/** All of them, in the order of the page. */
export function billFigures({ tables, curve }: BillResult): readonly string[] {
  const [whole] = tables;
  if (whole === undefined) throw new Error("docs/images/bill.json has no table: run the bench of the bill again.");
  return [policyTable(whole), profileTable(tables), curveTable(curve), windowTable(tables)];
}

function policyTable({ rows }: BillTable): string {
  const head = `Anthropic's prices, cache of 5 minutes, a window of 200,000 tokens | USD | to a summary at 80 % | × optimum | worst session | folds per 100 calls | needed names lost`;
  return markdown(
    head,
    rows.map((row) => {
      const cells = [
        labelOf(row),
        row.usd.toFixed(2),
        row.policy === "summary at 80 %" ? "" : signed(row.againstSummaryPercent),
        row.timesOptimum.toFixed(2),
        row.worstTimesOptimum.toFixed(2),
        row.foldsPer100Calls.toFixed(1),
        row.lostPercent === undefined ? "" : `${isSummary(row) ? "at most " : ""}${row.lostPercent.toFixed(2)} %`,
      ];
      return row.policy === OURS ? cells.map((cell) => `**${cell}**`) : cells;
    }),
  );
}

function profileTable(tables: readonly BillTable[]): string {
  const head =
    "a window of 200,000 tokens, `balanced` | to a summary at 80 % | the optimum to that | × optimum | worst session | needed names lost";
  const usual = tables.filter(({ contextWindow }) => contextWindow === USUAL_WINDOW);
  return markdown(
    head,
    usual.map(({ profile, rows }) => [profile, ...comparedCells(rows)]),
  );
}

function windowTable(tables: readonly BillTable[]): string {
  const head =
    "other windows, `balanced` | window | to a summary at 80 % | the optimum to that | × optimum | worst session | needed names lost";
  const others = tables.filter(({ contextWindow }) => contextWindow !== USUAL_WINDOW);
  return markdown(
    head,
    others.map(({ profile, contextWindow, rows }) => [
      profile,
      contextWindow.toLocaleString("en"),
      ...comparedCells(rows),
    ]),
  );
}

function comparedCells(rows: readonly BillRow[]): readonly string[] {
  const ours = rows.find(({ policy }) => policy === OURS);
  const optimum = rows.find(({ lostPercent }) => lostPercent === undefined);
  if (ours === undefined || optimum === undefined) throw new Error("A table without our row, or without the optimum.");
  return [
    signed(ours.againstSummaryPercent),
    signed(optimum.againstSummaryPercent),
    ours.timesOptimum.toFixed(3),
    ours.worstTimesOptimum.toFixed(3),
    `${ours.lostPercent?.toFixed(2)} %`,
  ];
}

function curveTable(curve: readonly BillRow[]): string {
  const head =
    "a fold leaves (Anthropic, 5 minutes, a window of 200,000 tokens) | USD | to a summary at 80 % | the optimum to that | × optimum | worst session | needed names lost";
  return markdown(
    head,
    curve.map((row) => [
      `${row.policy.replace("k", "")},000 tokens`,
      row.usd.toFixed(2),
      signed(row.againstSummaryPercent),
      signed((100 + row.againstSummaryPercent) / row.timesOptimum - 100),
      row.timesOptimum.toFixed(3),
      row.worstTimesOptimum.toFixed(3),
      `${row.lostPercent?.toFixed(2)} %`,
    ]),
  );
}

function labelOf({ policy, tooLongCalls = 0 }: BillRow): string {
  const label = LABELS[policy] ?? policy;
  return tooLongCalls > 0 ? `${label} (${tooLongCalls} prompts exceed the window)` : label;
}

/** A summary's text is not known here, and shows no name. */
function isSummary({ policy }: BillRow): boolean {
  return policy.startsWith("summary");
}

function signed(percent: number): string {
  const digits = Math.abs(percent).toFixed(1);
  return `${digits === "0.0" ? "" : percent > 0 ? "+" : "−"}${digits} %`;
}

function markdown(head: string, rows: readonly (readonly string[])[]): string {
  const columns = head.split(" | ").length;
  const lines = [head, Array.from({ length: columns }, () => "---").join(" | "), ...rows.map((row) => row.join(" | "))];
  return lines.map((line) => `| ${line} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |")).join("\n");
}

if (import.meta.main) console.log(billFigures(readBillResult()).join("\n\n"));
