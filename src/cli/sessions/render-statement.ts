import type { FoldTotals, Statement } from "../../core/statement/statement.ts";
import { countOf, formatCount, formatUsd } from "../terminal/numbers.ts";
import type { Style } from "../terminal/output.ts";
import { oneLine } from "../terminal/safe-text.ts";
import { type Column, renderTable } from "../terminal/table.ts";

export interface RenderStatementOptions {
  readonly title: string;
  readonly style: Style;
  readonly columns: number;
}

const BILL_COLUMNS: readonly Column[] = [
  { title: "usd", align: "right" },
  { title: "saved", align: "right" },
  { title: "", align: "left" },
];

const FOLD_COLUMNS: readonly Column[] = [
  { title: "requests", align: "right" },
  { title: "hidden", align: "right" },
  { title: "cost", align: "right" },
  { title: "earned", align: "right" },
  { title: "cause", align: "left" },
];

const CAUSES: Readonly<Record<FoldTotals["cause"], string>> = {
  pays: "pays: carrying the old tokens would have cost more",
  cold: "cold: the provider had forgotten the prompt anyway",
  threshold: "threshold: a share of the window was filled",
  limit: "limit: the prompt did not fit",
  request: "request: its bytes, its images, or a pointer to something hidden",
  hand: "hand: someone asked for it",
};

const NOTHING_SENT =
  "Requests are counted when they are sent: by palimpsest run, palimpsest up or your program. Imported sessions have none.";

/** The output of `palimpsest statement`. */
export function renderStatement(statement: Statement, options: RenderStatementOptions): string {
  const title = renderTitle(statement, options);
  // A bill of nothing but zeros would say that something was measured.
  if (statement.requests === 0 && statement.spentUsd === 0) return `${[...title, NOTHING_SENT].join("\n")}\n`;
  const sections = [
    title,
    renderBills(statement, options),
    renderFolds(statement, options),
    renderMisses(statement, options),
  ];
  const shown = [...sections, renderFacts(statement)].filter((lines) => lines.length > 0);
  return shown.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function renderTitle({ requests, sessions, unpriced }: Statement, { title, style }: RenderStatementOptions) {
  const leftOut = unpriced === 0 ? [] : [`${formatCount(unpriced)} of unknown cost, in no figure of money`];
  const facts = [...(sessions === 1 ? [] : [countOf(sessions, "session")]), countOf(requests, "request"), ...leftOut];
  return [style.heading(oneLine(title)), facts.join(" · ")];
}

function renderBills(statement: Statement, { style, columns }: RenderStatementOptions): readonly string[] {
  const { spentUsd, condensingUsd, withoutFoldsUsd, withSummaryAt80Usd, optimumUsd, savedUsd } = statement;
  const { ratioToOptimum } = statement;
  const condensing = condensingUsd === 0 ? "" : `, ${formatUsd(condensingUsd)} of it for condensing`;
  const ratio = ratioToOptimum === undefined ? "" : `; spent was ${ratioToOptimum.toFixed(2)} times that`;
  const rows = [
    [formatUsd(spentUsd), "", `spent${condensing}`],
    [formatUsd(withoutFoldsUsd), formatUsd(savedUsd.againstNothing), "without folds"],
    [formatUsd(withSummaryAt80Usd), formatUsd(savedUsd.againstSummaryAt80), "with a summary at 80 % of the window"],
    [formatUsd(optimumUsd), "", `at best, had all of it been known before${ratio}`],
  ];
  const [titles = "", ...lines] = renderTable(BILL_COLUMNS, rows, columns);
  return [style.heading("The bill, and what the same requests would have cost"), style.faint(titles), ...lines];
}

function renderFolds({ folds }: Statement, { style, columns }: RenderStatementOptions): readonly string[] {
  if (folds.length === 0) return [];
  const rows = folds.map(({ cause, requests, hiddenTokens, costUsd, earnedUsd }) => [
    formatCount(requests),
    formatCount(hiddenTokens),
    formatUsd(costUsd),
    formatUsd(earnedUsd),
    CAUSES[cause],
  ]);
  const [titles = "", ...lines] = renderTable(FOLD_COLUMNS, rows, columns);
  return [style.heading("Folds by cause"), style.faint(titles), ...lines];
}

const MISS_COLUMNS: readonly Column[] = [
  { title: "requests", align: "right" },
  { title: "missed", align: "right" },
  { title: "by agent", align: "right" },
  { title: "by folds", align: "right" },
  { title: "the provider's reason", align: "left" },
];

function renderMisses({ cacheMisses = [] }: Statement, { style, columns }: RenderStatementOptions): readonly string[] {
  if (cacheMisses.length === 0) return [];
  const rows = cacheMisses.map(({ requests, missedTokens, byAgent, byGateway, reason }) => [
    ...[requests, missedTokens, byAgent, byGateway].map(formatCount),
    oneLine(reason),
  ]);
  const [titles = "", ...lines] = renderTable(MISS_COLUMNS, rows, columns);
  return [style.heading("Cache misses, and who we say made the change"), style.faint(titles), ...lines];
}

function renderFacts(statement: Statement): readonly string[] {
  const { usage, cacheHits, coldCalls, rereads, criticalFacts: facts, forecastErrorPercent } = statement;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const parts = [
    `${formatCount(inputTokens)} input`,
    `${formatCount(cacheReadTokens)} from the cache`,
    `${formatCount(cacheWriteTokens)} to the cache`,
    `${formatCount(outputTokens)} output`,
  ];
  const { expectedTokens, reportedTokens } = cacheHits;
  const error = forecastErrorPercent;
  const hits = `${formatCount(reportedTokens)} tokens read, ${formatCount(expectedTokens)} expected`;
  return [
    `tokens    ${parts.join(", ")}`,
    `cache     ${hits}; ${countOf(coldCalls, "cold call")}`,
    ...(rereads.requests === 0
      ? []
      : [`re-reads  ${countOf(rereads.tokens, "token")} in ${countOf(rereads.requests, "request")}`]),
    ...(facts === undefined
      ? []
      : [
          `facts     ${formatCount(facts.visible)} of ${formatCount(facts.facts)} critical ones still visible after folds`,
        ]),
    ...(error === undefined
      ? []
      : [`forecast  off by ${error.p50.toFixed(2)} % (p50), ${error.p99.toFixed(2)} % (p99)`]),
  ];
}
