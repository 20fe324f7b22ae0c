import { checkMessages } from "../message/check-messages.ts";
import type { Message } from "../message/message.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { clipToFit } from "./clip-to-fit.ts";
import { checkFitOptions, type FitOptions } from "./fit-options.ts";
import type { FitResult, Folded } from "./fit-result.ts";
import { hideOldest } from "./hide-oldest.ts";
import { measureView } from "./measure-view.ts";

/**
 * Brings the view under `allowedTokens`: hides the oldest units behind a marker, again and again; clips what is too
 * large to fit even so; and hides messages marked important only when there is no other way.
 *
 * The first message and the last unit (the current turn) stay visible, clipped if need be.
 */
export function truncateToFit(messages: readonly Message[], options: FitOptions): FitResult {
  checkMessages(messages);
  checkFitOptions(options);
  const { allowedTokens, countTokens = countContentTokens, selection, taskId = "" } = options;
  const targetTokens = Math.min(options.targetTokens ?? allowedTokens, allowedTokens);
  const view = measureView(messages, countTokens);
  const unchanged: Folded = { messages, tokens: view.tokens, foldIds: [], messagesHidden: 0 };
  if (view.tokens <= allowedTokens) return { type: "unchanged", ...unchanged };

  let folded = unchanged;
  if (view.keptTokens > allowedTokens) {
    // Hiding can never be enough. Of the room, the oversized turn gets what history does not need, and at least half.
    const budgetTokens = Math.max(targetTokens / 2, targetTokens - (view.tokens - view.keptTokens));
    folded = clipToFit(folded, { scope: "kept", budgetTokens, countTokens, taskId });
  }
  for (const hideImportant of [false, true]) {
    if (folded.tokens <= allowedTokens) break;
    folded = hideOldest(folded, { targetTokens, countTokens, selection, taskId, hideImportant });
    if (folded.tokens <= allowedTokens) break;
    folded = clipToFit(folded, { scope: "view", budgetTokens: allowedTokens, countTokens, taskId });
  }
  return { type: folded.tokens <= allowedTokens ? "folded" : "cannot-fit", ...folded };
}
