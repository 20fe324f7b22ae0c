import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { type PromptRoom, roomFor } from "./beside.ts";
import { byteLimits, type Carried, carriedAsItCame } from "./carry.ts";
import type { Conversation } from "./desk.ts";
import { type Asked, foldOnce, type ScratchPorts } from "./fold-turn.ts";
import type { Heard } from "./heard.ts";
import { besideText, overheadTokens } from "./overhead-tokens.ts";
import type { Place } from "./place.ts";

export interface CarriedSummary {
  readonly carried: Carried;
  /** The model's tokens for one of ours. */
  readonly tokenRatio: number;
}

/**
 * An agent's wish for a summary, with as much of the conversation as there is room for: what a summary does not see is lost to the
 * agent, and a summary of our ledger is two losses in a row. As it came where that fits, whatever folds the session has; else folded for
 * itself, from the originals, to just under what is allowed.
 */
export async function carriedSummary(heard: Heard, place: Place, ports: Asked & ScratchPorts): Promise<CarriedSummary> {
  const { model, limits, budgetTokens, registry } = ports;
  const entry = registry.find(model.modelId);
  const measured = await measuredRatio(place, model.modelId);
  const tokenRatio = measured ?? entry.tokenRatio ?? 1;
  const known = limits.of(model);
  const room = roomFor(heard.request, known, budgetTokens);
  const tokens = Math.ceil(
    (countMessagesTokens(heard.messages) + overheadTokens(besideText(heard.request))) * tokenRatio,
  );
  const { maxViewBytes, maxImages } = byteLimits(heard, known);
  const mostTokens = longestPrompt(room, entry.inputLimitTokens, measured !== undefined);
  if (tokens <= mostTokens && maxViewBytes === undefined && maxImages === undefined) {
    return { carried: { ...carriedAsItCame(heard), tokensIn: tokens, tokensSent: tokens }, tokenRatio };
  }
  const folded = await foldOnce(heard, ports, { ...ports, tokenRatio });
  return { carried: folded ?? carriedAsItCame(heard), tokenRatio };
}

/** Where reports told how the model counts, the whole window can be used; where it is a guess, what is surely accepted. */
function longestPrompt({ contextWindow, maxTokens }: PromptRoom, inputLimit: number | undefined, isMeasured: boolean) {
  const inputLimitTokens = inputLimit ?? contextWindow;
  if (!isMeasured) return allowedTokens({ contextWindow, maxTokens, inputLimitTokens });
  return Math.min(contextWindow - maxTokens, inputLimitTokens);
}

/** What the conversation's session learned from reports; a session that was not told its model yet knows it from its records. */
async function measuredRatio(place: Place, modelId: string): Promise<number | undefined> {
  const session = await conversationOf(place)?.session();
  const events = (await session?.events()) ?? [];
  const told = events.findLast((event) => event.type === "calibrated" && event.modelId === modelId);
  return told?.type === "calibrated" ? told.tokenRatio : undefined;
}

function conversationOf(place: Place): Conversation | undefined {
  switch (place.type) {
    case "continue":
    case "replay":
    case "rewind":
      return place.conversation;
    case "branch":
      return place.from;
    case "create":
      return undefined;
  }
}
