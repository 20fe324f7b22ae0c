import { effectiveView } from "../../message/effective-view.ts";
import type { CountTokens } from "../../message/message.ts";
import { contentBlocks, isToolResult } from "../../message/tool-pairs.ts";
import { countMessageTokens } from "../../tokens/count-messages.ts";
import { clearToolResults, DEFAULT_KEEP_NEWEST } from "../../truncate/clear-tool-results.ts";
import { dedupeToolResults } from "../../truncate/dedupe-tool-results.ts";
import type { Folded } from "../../truncate/fit-result.ts";
import { measureView } from "../../truncate/measure-view.ts";

export interface HideResultsOptions {
  readonly budgetTokens: number;
  readonly countTokens: CountTokens;
  readonly taskId: string;
}

/**
 * Clearing hides every old result to the last line: where it leaves less of the budget in use than this, a ledger shows more. On real
 * sessions, clearing down to any size costs up to 4 points of recall.
 */
const LEAST_CLEARED_SHARE = 0.85;

/** A stub names the tool and its argument, the tokens and the fold. */
const MAX_STUB_TOKENS = 60;

/** Dedupes and clears, if that is enough and not too much. */
export function hideResults(start: Folded, options: HideResultsOptions): Folded | undefined {
  const { budgetTokens } = options;
  const deduped = takeRung(start, dedupeToolResults, options);
  if (deduped.tokens <= budgetTokens) return deduped;
  // Clearing measures every result, so it is tried only where it may come out right.
  const { most, least } = estimateCleared(deduped, options);
  if (least > budgetTokens || most < LEAST_CLEARED_SHARE * budgetTokens) return undefined;
  const cleared = takeRung(deduped, clearToolResults, options);
  const isRight = cleared.tokens <= budgetTokens && cleared.tokens >= LEAST_CLEARED_SHARE * budgetTokens;
  return isRight ? cleared : undefined;
}

function takeRung(
  folded: Folded,
  rung: typeof dedupeToolResults | typeof clearToolResults,
  { countTokens, taskId }: HideResultsOptions,
): Folded {
  const { messages, foldId } = rung(folded.messages, { countTokens, taskId, pointTo: DEFAULT_KEEP_NEWEST });
  if (foldId === undefined) return folded;
  return {
    ...folded,
    messages,
    tokens: measureView(messages, countTokens).tokens,
    foldIds: [...folded.foldIds, foldId],
  };
}

/** What clearing would leave, at least and at most, from the counts of whole messages. */
function estimateCleared(
  { messages }: Folded,
  { countTokens }: HideResultsOptions,
): { readonly least: number; readonly most: number } {
  let [least, most, newest] = [0, 0, 0];
  for (const message of effectiveView(messages).toReversed()) {
    const tokens = countMessageTokens(message, countTokens);
    const results = contentBlocks(message.content).filter(isToolResult).length;
    const isCleared = results > 0 && newest >= DEFAULT_KEEP_NEWEST;
    newest += results;
    if (!isCleared) least += tokens;
    most += isCleared ? Math.min(tokens, results * MAX_STUB_TOKENS) : tokens;
  }
  return { least, most };
}
