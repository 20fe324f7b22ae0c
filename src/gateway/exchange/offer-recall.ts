import type { IncomingRequest } from "../match/incoming-request.ts";
import { foldsOf } from "../match/log-facts.ts";
import type { SessionMatch } from "../match/match-session.ts";
import { createRecallLoop } from "../recall/recall-loop.ts";
import { countAddedTool, roomFor } from "./configure-session.ts";
import type { TurnContext, TurnPorts, TurnState } from "./turn-state.ts";

interface Turn {
  readonly context: TurnContext;
  readonly ports: TurnPorts;
}

/**
 * Adds the recall tool to a body if the session hides something, if its provider ever cleared something, or if the tool was offered before; otherwise
 * returns the body unchanged.
 */
export function offerRecall(body: string | undefined, state: TurnState, turn: Turn): string | undefined {
  state.loop = undefined;
  const { recalled, incident } = turn.ports;
  if (recalled === undefined || !isWanted(state, turn.context)) return body;
  try {
    const { request } = turn.context.incoming;
    const offered = turn.context.adapter.recall?.offer(body ?? request.raw.body, request);
    if (offered === undefined) return body;
    if (state.conversation !== undefined) state.conversation.agent.isRecallOffered = true;
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

/** Counts the recall tool's tokens before a request is folded, if the tool is sure to be offered, so that the fold leaves room for it. */
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
  const isOffered = conversation.agent.isRecallOffered || (foldsOf(aligned.snapshot).isFolded && mayOffer());
  if (isOffered) countAddedTool(request, recall.definition);
}

function isWanted({ conversation, outgoing }: TurnState, { incoming, asSent, clearing }: TurnContext): boolean {
  if (conversation === undefined || incoming.request.operation !== "generate") return false;
  const hides = outgoing.foldCount > 0 || clearing?.isRecorded === true;
  return hides || asSent !== undefined || conversation.agent.isRecallOffered;
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
