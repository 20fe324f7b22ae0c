import { compact } from "../../core/condense/ledger/compact.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import type { Message } from "../../core/message/message.ts";
import { findModel } from "../../core/models/registry.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessageTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import type { Folding } from "./inspection.ts";

/**
 * What would be folded if all that was said were sent to a model with this window.
 * @default contextWindow that of the session's model
 */
export function planFolding({ messages, modelId, systemPrompt }: Transcript, contextWindow?: number): Folding {
  const window = contextWindow ?? findModel(modelId ?? "").contextWindow;
  const allowed = allowedTokens({ contextWindow: window }) - countTextTokens(systemPrompt ?? "");
  const { type, messages: folded, tokens, foldIds } = compact(messages, allowed);
  const firstOverCall = findFirstOver(messages, allowed);
  return {
    contextWindow: window,
    allowedTokens: Math.floor(allowed),
    outcome: type,
    tokens,
    folds: listFolds(folded).filter(({ foldId }) => foldIds.includes(foldId)),
    ...(firstOverCall !== undefined && { firstOverCall }),
  };
}

/** The model call, from 1, at which the uncompacted log was first over the limit. */
function findFirstOver(messages: readonly Message[], allowed: number): number | undefined {
  let tokens = 0;
  let calls = 0;
  for (const message of messages) {
    if (message.role === "assistant") {
      calls++;
      if (tokens > allowed) return calls;
    }
    tokens += countMessageTokens(message);
  }
  return undefined;
}
