import type { GatewayStats } from "../../gateway/stats.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";

/** What a gateway did, in one line. */
export function totalsLine({ requests, tokensIn, tokensSent, folds, savedUsd, incidents }: GatewayStats): string {
  if (requests === 0) return "palimpsest: no request came through the gateway";
  const parts = [
    countOf(requests, "request"),
    `${formatCount(tokensIn)} tokens seen, ${formatCount(tokensSent)} sent`,
    countOf(folds, "fold"),
    formatSaved(savedUsd),
    ...(incidents === 0 ? [] : [countOf(incidents, "incident")]),
  ];
  return `palimpsest: ${parts.join(" · ")}`;
}

function formatSaved(usd: number): string {
  const amount = Math.abs(usd);
  const shown = amount > 0 && amount < 0.01 ? "less than $0.01" : `$${amount.toFixed(2)}`;
  // Folding rewrites what a cache held: a session that ends right after it has paid for that.
  return usd < 0 ? `${shown} more spent` : `${shown} saved`;
}
