import { checkMessages } from "../message/check-messages.ts";
import type { Message } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { clearToolResults } from "./clear-tool-results.ts";
import { dedupeToolResults } from "./dedupe-tool-results.ts";
import { checkFitOptions, type FitOptions } from "./fit-options.ts";
import type { FitResult, Folded } from "./fit-result.ts";
import { measureView } from "./measure-view.ts";
import { truncateToFit } from "./truncate-to-fit.ts";

/** How full the view is left when a fold was needed, as a share of what is allowed. */
const TARGET_SHARE = 0.7;

/**
 * Brings the view under `allowedTokens` by the ladder, cheapest first: dedupe, clear, truncate, clip. A rung is taken
 * only when the one before did not reach the target.
 */
export function foldToFit(messages: readonly Message[], options: FitOptions): FitResult {
  checkMessages(messages);
  checkFitOptions(options);
  const { allowedTokens, countTokens = countContentTokens, taskId = "" } = options;
  const targetTokens = Math.min(options.targetTokens ?? allowedTokens * TARGET_SHARE, allowedTokens);
  const { tokens } = measureView(messages, countTokens);
  let folded: Folded = { messages, tokens, foldIds: [], messagesHidden: 0 };
  if (tokens <= allowedTokens) return { type: "unchanged", ...folded };

  for (const rung of [dedupeToolResults, clearToolResults]) {
    const { messages: shorter, foldId } = rung(folded.messages, { countTokens, taskId });
    if (foldId === undefined) continue;
    const { tokens } = measureView(shorter, countTokens);
    folded = { ...folded, messages: shorter, tokens, foldIds: [...folded.foldIds, foldId] };
    if (tokens <= targetTokens) return { type: "folded", ...folded };
  }
  const truncated = truncateToFit(folded.messages, { ...options, targetTokens });
  if (truncated.type === "unchanged") return { type: "folded", ...folded };
  return { ...truncated, foldIds: [...folded.foldIds, ...truncated.foldIds] };
}
