import { matchSession } from "../match/match-session.ts";
import type { Refusal } from "../turn.ts";
import { replyLimit } from "./configure-session.ts";
import { foldInScratch, foldTurn, foldWithoutSession, ignoreCannotFit, isCannotFit } from "./fold-turn.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { record } from "./record.ts";
import type { TurnContext, TurnPorts, TurnState } from "./turn-state.ts";

/** After each refusal, the next prompt has at most this share of the refused one's tokens, by our own count. */
const SHORTER_SHARE = 0.85;
const MAX_RETRIES = 3;

/**
 * Learns the model's limits from a refusal, and folds the request harder. Resolves with whether there is a different body to send now: a shorter
 * one, or one that asks for a shorter reply.
 */
export async function shortenTurn(
  refusal: Refusal,
  state: TurnState,
  { context, ports }: { readonly context: TurnContext; readonly ports: TurnPorts },
): Promise<boolean> {
  const { incoming, limits, model } = context;
  const { outgoing } = state;
  const sentBytes = bytesOf(outgoing, context);
  limits.refused(model, refusal, { tokens: outgoing.tokensSent, bytes: sentBytes });
  if (state.retries >= MAX_RETRIES) return false;
  const isReplyShorter = replyLimit(incoming.request, limits.of(model)) !== state.replyTokens;
  const budgetTokens = isReplyShorter ? context.budgetTokens : nextBudget(refusal, state, context);
  const shorter = await foldSafely(budgetTokens, state, { context, ports }).catch(ignoreCannotFit);
  // The client may have left meanwhile: then the turn is recorded with what was sent.
  if (state.isEnded) return false;
  const isShorter = shorter?.body !== undefined && bytesOf(shorter, context) < sentBytes;
  if (shorter !== undefined && isShorter) {
    state.outgoing = shorter;
    state.newFoldIds = [...state.newFoldIds, ...shorter.newFoldIds];
  }
  return isShorter || isReplyShorter;
}

function bytesOf({ body }: OutgoingRequest, { incoming }: TurnContext): number {
  return body === undefined ? incoming.body.length : Buffer.byteLength(body);
}

/** The most tokens that the next prompt may have after a refusal. */
function nextBudget(refusal: Refusal, { outgoing, retries }: TurnState, context: TurnContext): number | undefined {
  if (refusal.by !== "tokens") return context.budgetTokens;
  // An unchanged request may only have been estimated by its bytes: then the upstream's own count is used if it is larger.
  const reported = outgoing.body === undefined ? (refusal.promptTokens ?? 0) : 0;
  const most = Math.floor(Math.max(outgoing.tokensSent, reported) * SHORTER_SHARE ** (retries + 1));
  return Math.min(most, context.budgetTokens ?? most);
}

interface Shortening {
  readonly context: TurnContext;
  readonly ports: TurnPorts;
}

/** Folds the request harder, in its session if that works, else without it. Rejects with "cannot-fit" where system prompt and tools alone are too long. */
async function foldSafely(
  budgetTokens: number | undefined,
  state: TurnState,
  shortening: Shortening,
): Promise<OutgoingRequest | undefined> {
  try {
    return await foldInSession(budgetTokens, state, shortening);
  } catch (error) {
    if (isCannotFit(error)) throw error;
    const { context, ports } = shortening;
    ports.incident("shorten", error);
    state.recordedAs = "none";
    return foldWithoutSession(error, context.incoming, { ...ports, ...context, budgetTokens });
  }
}

/** Folds the request harder: in its session if the session's log still ends with the request, else on its own. */
async function foldInSession(
  budgetTokens: number | undefined,
  state: TurnState,
  { context, ports }: Shortening,
): Promise<OutgoingRequest | undefined> {
  const { incoming } = context;
  await state.recordOnce();
  const match = state.recordedAs === "none" ? undefined : await matchSession(incoming, ports);
  if (match?.type !== "continue") return foldAlone(budgetTokens, state, { context, ports });
  const outcome = await record(incoming, match, {
    ...ports,
    use: async (settled) => {
      const folded = await foldTurn(incoming, settled, { ...ports, ...context, budgetTokens });
      return folded && { folded, settled };
    },
  });
  if (outcome.type === "replay") return foldAlone(budgetTokens, state, { context, ports });
  const { settled, folded } = outcome.value;
  state.moveTo(settled);
  state.recordedAs = "view";
  return folded;
}

/** Folds the request without its session. The session then learns nothing from the reply's usage, as its view was not sent. */
function foldAlone(
  budgetTokens: number | undefined,
  state: TurnState,
  { context, ports }: Shortening,
): Promise<OutgoingRequest | undefined> {
  state.recordedAs = "none";
  return foldInScratch(context.incoming, ports, { ...context, budgetTokens });
}
