import { matchSession } from "../match/match-session.ts";
import type { Refusal } from "../turn.ts";
import { replyLimit } from "./configure-session.ts";
import { foldOnce, foldTurn, foldWithoutSession, ignoreCannotFit, isCannotFit } from "./fold-turn.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { record } from "./record.ts";
import type { TurnContext, TurnPorts, TurnState } from "./turn-state.ts";

/** After each refusal, what is sent by our own count is at most this share of what was sent before. */
const SHORTER_SHARE = 0.85;
const MAX_RETRIES = 3;

/**
 * Learns from a refusal, and makes what was sent shorter. Whether there is something else to send now: the reply's allowance may have to
 * be smaller too, or instead.
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

function nextBudget(refusal: Refusal, { outgoing, retries }: TurnState, context: TurnContext): number | undefined {
  if (refusal.by !== "tokens") return context.budgetTokens;
  // A request that went as it came was not counted, so that the upstream may know better; a folded one was.
  const reported = outgoing.body === undefined ? (refusal.promptTokens ?? 0) : 0;
  const most = Math.floor(Math.max(outgoing.tokensSent, reported) * SHORTER_SHARE ** (retries + 1));
  return Math.min(most, context.budgetTokens ?? most);
}

interface Shortening {
  readonly context: TurnContext;
  readonly ports: TurnPorts;
}

/** Where the store or folding fails, what is to be sent can be shortened all the same. */
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

/** Folds the request harder: in its session where it has one that still ends with it. */
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

/** Folds the request without its session. The usage of the reply says nothing about the session's view then. */
function foldAlone(
  budgetTokens: number | undefined,
  state: TurnState,
  { context, ports }: Shortening,
): Promise<OutgoingRequest | undefined> {
  state.recordedAs = "none";
  return foldOnce(context.incoming, ports, { ...context, budgetTokens });
}
