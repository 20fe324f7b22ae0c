import type { StatementTotals } from "../../gateway/statements.ts";
import type { GatewayStats } from "../../gateway/stats.ts";
import { countOf, formatCount, formatUsd } from "../terminal/numbers.ts";

/** One line that sums up what a gateway did. @default money no costs are shown */
export function totalsLine(stats: GatewayStats, money?: StatementTotals): string {
  const { requests, tokensIn, tokensSent, folds, incidents } = stats;
  if (requests === 0) return "palimpsest: no request came through the gateway";
  const parts = [
    countOf(requests, "request"),
    `${formatCount(tokensIn)} tokens seen, ${formatCount(tokensSent)} sent`,
    countOf(folds, "fold"),
    ...(money === undefined ? [] : moneyParts(money)),
    ...(incidents === 0 ? [] : [countOf(incidents, "incident")]),
  ];
  return `palimpsest: ${parts.join(" · ")}`;
}

function moneyParts({ requests, unpriced, spentUsd, savedUsd, optimumUsd }: StatementTotals): readonly string[] {
  // No request belonged to a session.
  if (requests === 0) return [];
  if (requests === unpriced) return ["cost not known"];
  const leftOut = unpriced === 0 ? "" : ` (${formatCount(unpriced)} of unknown cost left out)`;
  const compared = [
    comparison(savedUsd.againstNothing, "without folds"),
    comparison(savedUsd.againstSummaryAt80, "with a summary at 80 %"),
  ];
  return [`${formatUsd(spentUsd)} spent${leftOut}`, compared.join(", "), `${formatUsd(optimumUsd)} at best`];
}

/** Compares the cost with an alternative. Folds may have cost more: a fold rewrites the cached prefix, and a session that ends soon after has paid for nothing. */
function comparison(usd: number, alternative: string): string {
  const shown = formatUsd(Math.abs(usd));
  if (shown === formatUsd(0)) return `the same as ${alternative}`;
  return `${shown} ${usd < 0 ? "more" : "less"} than ${alternative}`;
}
