import type { IncomingRequest } from "../match/incoming-request.ts";
import { factsOf } from "../match/log-facts.ts";
import type { SessionMatch } from "../match/match-session.ts";
import { createRecallLoop } from "../recall/recall-loop.ts";
import { countAddedTool, roomFor } from "./configure-session.ts";
import type { TurnContext, TurnPorts, TurnState } from "./turn-state.ts";

interface Turn {
  readonly context: TurnContext;
  readonly ports: TurnPorts;
}

/** The body with the recall tool in it, where its session hides something, its provider ever cleared something, or it was offered before; else the body as it is. */
export function offerRecall(body: string | undefined, state: TurnState, turn: Turn): string | undefined {
  state.loop = undefined;
  const { recalled, incident } = turn.ports;
  if (recalled === undefined || !isWanted(state, turn.context)) return body;
  try {
    const { request } = turn.context.incoming;
    const offered = turn.context.adapter.recall?.offer(body ?? request.raw.body, request);
    if (offered === undefined) return body;
    if (state.conversation !== undefined) state.conversation.isRecallOffered = true;
    const addedTokens = countAddedTool(request, turn.context.adapter.recall?.definition);
    if (addedTokens > 0) {
      const { tokensIn, tokensSent } = state.outgoing;
      state.outgoing = { ...state.outgoing, tokensIn: tokensIn + addedTokens, tokensSent: tokensSent + addedTokens };
    }
    state.loop = loopFor(offered, state, turn);
    return offered;
  } catch (error) {
    incident("recall", error);
    return body;
  }
}

/** Counts the tool before a request is folded, where it is sure to be offered: what is hidden already stays hidden. */
export function countOfferedRecall(
  { request }: IncomingRequest,
  match: SessionMatch,
  { adapter, recalled }: Pick<TurnPorts, "recalled"> & Pick<TurnContext, "adapter">,
): void {
  const { recall } = adapter;
  if (recalled === undefined || recall === undefined || match.type !== "continue") return;
  if (request.operation !== "generate") return;
  const { conversation, aligned } = match;
  const mayOffer = () => recall.offer(request.raw.body, request) !== undefined;
  const isOffered = conversation.isRecallOffered || (factsOf(aligned.snapshot.log).isFolded && mayOffer());
  if (isOffered) countAddedTool(request, recall.definition);
}

function isWanted({ conversation, outgoing }: TurnState, { incoming, asSent, clearing }: TurnContext): boolean {
  if (conversation === undefined || incoming.request.operation !== "generate") return false;
  const hides = outgoing.foldCount > 0 || clearing?.isRecorded === true;
  return hides || asSent !== undefined || conversation.isRecallOffered;
}

function loopFor(body: string, state: TurnState, { context, ports }: Turn): TurnState["loop"] {
  const { adapter, incoming, asSent = incoming, limits, model, budgetTokens } = context;
  if (adapter.recall === undefined || ports.recalled === undefined) return undefined;
  const { contextWindow, maxTokens } = roomFor(incoming.request, limits.of(model), budgetTokens);
  return createRecallLoop({
    adapter,
    recall: adapter.recall,
    asSent,
    body,
    roomTokens: contextWindow - maxTokens - state.outgoing.tokensSent,
    conversation: async () => {
      await state.recordOnce();
      return state.conversation;
    },
    replies: ports.recalled,
    incident: ports.incident,
  });
}
