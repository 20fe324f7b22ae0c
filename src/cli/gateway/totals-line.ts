import type { StatementTotals } from "../../gateway/statements.ts";
import type { GatewayStats } from "../../gateway/stats.ts";
import { countOf, formatCount, formatUsd } from "../terminal/numbers.ts";

/** What a gateway did, in one line. @default money nothing is known of it */
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
  // None of the requests belonged to a session.
  if (requests === 0) return [];
  if (requests === unpriced) return ["cost not known"];
  const leftOut = unpriced === 0 ? "" : ` (${formatCount(unpriced)} of unknown cost left out)`;
  const compared = [
    comparison(savedUsd.againstNothing, "without folds"),
    comparison(savedUsd.againstSummaryAt80, "with a summary at 80 %"),
  ];
  return [`${formatUsd(spentUsd)} spent${leftOut}`, compared.join(", "), `${formatUsd(optimumUsd)} at best`];
}

/** Folding rewrites what a cache held: a session that ends right after it has paid for that, and this is said. */
function comparison(usd: number, alternative: string): string {
  const shown = formatUsd(Math.abs(usd));
  if (shown === formatUsd(0)) return `the same as ${alternative}`;
  return `${shown} ${usd < 0 ? "more" : "less"} than ${alternative}`;
}
