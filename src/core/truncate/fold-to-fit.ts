import { checkMessages } from "../message/check-messages.ts";
import type { Message } from "../message/message.ts";
import { clearToolResults, DEFAULT_KEEP_NEWEST } from "./clear-tool-results.ts";
import { dedupeToolResults } from "./dedupe-tool-results.ts";
import { type FitOptions, type FitResult, type Folded, resolveFitOptions } from "./fit-options.ts";
import { measureView } from "./measure-view.ts";
import { shrink } from "./truncate-to-fit.ts";

/**
 * Brings the view under `allowedTokens` by the ladder, cheapest first: dedupe, clear, truncate, clip. A rung is taken
 * only when the one before did not reach the target.
 * @example
 * ```ts
 * import { foldToFit, type Message } from "palimpsest/core";
 * const log = Array.from({ length: 40 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(200) }));
 * const { type, tokens } = foldToFit(log, { allowedTokens: 5_000 });
 * console.log(type, tokens <= 5_000); // folded true
 * ```
 */
export function foldToFit(messages: readonly Message[], options: FitOptions): FitResult {
  checkMessages(messages);
  const resolved = resolveFitOptions(options);
  const { allowedTokens, targetTokens, countTokens, taskId, offload, clear } = resolved;
  const { tokens } = measureView(messages, countTokens);
  let folded: Folded = { messages, tokens, foldIds: [], messagesHidden: 0 };
  if (tokens <= allowedTokens) return { type: "unchanged", ...folded };

  for (const rung of [dedupeToolResults, clearToolResults]) {
    // A pointer to a copy that the next rung clears would send the model to a stub.
    const rungOptions = { ...clear, countTokens, taskId, pointTo: DEFAULT_KEEP_NEWEST, clearToolInputs: true, offload };
    const { messages: shorter, foldId } = rung(folded.messages, rungOptions);
    if (foldId === undefined) continue;
    const { tokens } = measureView(shorter, countTokens);
    folded = { ...folded, messages: shorter, tokens, foldIds: [...folded.foldIds, foldId] };
    if (tokens <= targetTokens) return { type: "folded", ...folded };
  }
  folded = shrink(folded, resolved);
  return { type: folded.tokens <= allowedTokens ? "folded" : "cannot-fit", ...folded };
}
