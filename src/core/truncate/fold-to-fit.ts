import type { CountTokens, Message } from "../message/message.ts";
import { clearToolResults } from "./clear-tool-results.ts";
import { dedupeToolResults } from "./dedupe-tool-results.ts";
import type { FitResult, Folded } from "./fit-result.ts";
import { measureView } from "./measure-view.ts";
import { truncateToFit } from "./truncate-to-fit.ts";

/** How full the view is left when a fold was needed, as a share of what is allowed. */
const TARGET_SHARE = 0.7;

export interface FoldToFitOptions {
  /** The view must not be larger than this: the room for messages alone, without system prompt and tools. */
  readonly allowedTokens: number;
  readonly countTokens: CountTokens;
  /**
   * How far to fold once folding is needed: each fold breaks the provider's cached prefix, so that one large fold is
   * cheaper than many small ones.
   * @default 0.7 × allowedTokens
   */
  readonly targetTokens?: number;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
}

/**
 * Brings the view under `allowedTokens` by the ladder, cheapest first: dedupe, clear, truncate, clip. A rung is taken
 * only when the one before did not reach the target.
 */
export function foldToFit(messages: readonly Message[], options: FoldToFitOptions): FitResult {
  const { allowedTokens, countTokens, taskId = "", targetTokens = allowedTokens * TARGET_SHARE } = options;
  const before = measureView(messages, countTokens).tokens;
  if (before <= allowedTokens) return { type: "unchanged", messages, tokens: before };

  let folded: Folded = { messages, tokens: before, foldIds: [], messagesRemoved: 0 };
  for (const rung of [dedupeToolResults, clearToolResults]) {
    const { messages: shorter, foldId } = rung(folded.messages, { countTokens, taskId });
    if (foldId === undefined) continue;
    const { tokens } = measureView(shorter, countTokens);
    folded = { ...folded, messages: shorter, tokens, foldIds: [...folded.foldIds, foldId] };
    if (tokens <= targetTokens) return { type: "folded", ...folded };
  }
  return join(folded, truncateToFit(folded.messages, { allowedTokens, targetTokens, countTokens, taskId }));
}

function join(earlier: Folded, later: FitResult): FitResult {
  if (later.type === "unchanged") return { type: "folded", ...earlier };
  return {
    ...later,
    foldIds: [...earlier.foldIds, ...later.foldIds],
    messagesRemoved: earlier.messagesRemoved + later.messagesRemoved,
  };
}
