import type { ReplayResult, ReplayStep } from "./replay.ts";

const BAR_WIDTH = 32;

/** One line that is redrawn at every turn: how full the window is. */
export function progressLine({ turn, turns, viewTokens, contextWindow }: ReplayStep): string {
  const filled = Math.min(BAR_WIDTH, Math.round((BAR_WIDTH * viewTokens) / contextWindow));
  const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
  return `turn ${String(turn).padStart(4)} / ${turns}  ${bar}  ${tokens(viewTokens)} of ${tokens(contextWindow)} tokens`;
}

/** One line for each turn at which something was folded; nothing for the others. */
export function stepLine({ turn, turns, tokensBefore, viewTokens, folds }: ReplayStep): string | undefined {
  if (folds.length === 0) return undefined;
  const kinds = folds.join(" + ").padEnd(33);
  return `turn ${String(turn).padStart(4)} / ${turns}  ${kinds} ${tokens(tokensBefore).padStart(7)} → ${tokens(viewTokens)} tokens`;
}

export function resultTable(result: ReplayResult): string {
  const folds = Object.entries(result.folds).map(([kind, count]) => `${kind} ${count}`);
  const isWhole = result.hashBefore === result.hashAfter;
  const rows: readonly (readonly [string, string])[] = [
    ["turns", `${result.turns} (${result.messages} messages, ${tokens(result.logTokens)} tokens)`],
    [
      "largest view",
      `${tokens(result.peakViewTokens)} of ${tokens(result.contextWindow)} (allowed: ${tokens(result.allowedTokens)})`,
    ],
    ["overflows", String(result.overflows)],
    ["invalid views", String(result.invalidViews)],
    ["folds", folds.join(", ") || "none"],
    ["messages hidden", String(result.messagesHidden)],
    ["tokens hidden", tokens(result.tokensHidden)],
    [
      "bytes lost",
      `${tokens(result.bytesLost)} (SHA-256 ${isWhole ? "equal" : "DIFFERS"}: ${result.hashBefore.slice(0, 16)} → ${result.hashAfter.slice(0, 16)})`,
    ],
  ];
  return `\n${rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}\n`).join("")}\n`;
}

function tokens(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}
