import type { Fold } from "../../core/history/list-folds.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import type { Folding, Inspection } from "./inspection.ts";
import type { RenderOptions, Section } from "./section.ts";

/** What would be folded to send the whole session. */
export function renderFolding({ folding, tokens }: Inspection, { style }: RenderOptions): Section {
  const { contextWindow, allowedTokens, outcome } = folding;
  const heading = style.heading(`In a window of ${formatCount(contextWindow)}`);
  if (outcome === "cannot-fit") {
    const left = formatCount(Math.max(0, allowedTokens));
    return [heading, `  ${left} tokens are left for messages: no view fits. Pass a larger --window.`];
  }
  const room = `${formatCount(allowedTokens)} tokens are left for messages`;
  if (outcome === "unchanged") return [heading, `  ${room}: nothing would be folded.`];
  return [
    heading,
    `  ${room}: ${formatCount(tokens)} would be folded to ${formatCount(folding.tokens)}${sinceWhen(folding)}.`,
    ...folding.folds.map((fold) => `  ${foldLine(fold)}`),
  ];
}

function sinceWhen({ firstOverCall }: Folding): string {
  return firstOverCall === undefined ? "" : `, for the first time at model call ${formatCount(firstOverCall)}`;
}

function foldLine({ kind, messages, blocks }: Fold): string {
  const hidden = [
    ...(messages > 0 ? [countOf(messages, "message")] : []),
    ...(blocks > 0 ? [countOf(blocks, "block")] : []),
  ];
  return `${kind.padEnd(9)} ${hidden.join(", ")}`;
}
