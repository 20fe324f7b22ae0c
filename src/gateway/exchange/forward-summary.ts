import type { Message } from "../../core/message/message.ts";
import { detectUnits } from "../../core/message/units.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { createForecast, forecast, rebase, shiftOverhead } from "../../core/tokens/forecast.ts";
import { newestLearned } from "../../engine/session/learned-tokens.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import type { SessionMatch } from "../match/match-session.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { overheadOf, type PromptRoom, roomFor } from "./configure-session.ts";
import { foldInScratch, type ScratchPorts, type Target } from "./fold-turn.ts";
import { byteLimits, forwardUnchanged, type OutgoingRequest } from "./outgoing-request.ts";

const LEAST_RATIO = 0.5;

export interface ForwardedSummary {
  readonly outgoing: OutgoingRequest;
  /** How many tokens the model counts for one of ours. */
  readonly tokenRatio: number;
}

/**
 * Forwards an agent's request for a summary with as much of the conversation as fits: what the summary does not see is lost to the agent, and a
 * summary of our ledger would lose twice. If the request fits, it is sent unchanged, whatever folds its session has; otherwise it is folded on
 * its own, from the original messages, to just under the allowed tokens.
 */
export async function forwardSummaryRequest(
  incoming: IncomingRequest,
  match: SessionMatch,
  ports: Target & ScratchPorts,
): Promise<ForwardedSummary> {
  const { model, limits, budgetTokens, registry } = ports;
  const entry = registry.find(model.modelId);
  const counted = countMessagesTokens(incoming.messages) + overheadOf(incoming.request).tokens;
  const measured = await measuredTokens(incoming, match, model.modelId);
  const tokenRatio = measured === undefined ? (entry.tokenRatio ?? 1) : ratioFor(measured, counted, incoming);
  const known = limits.of(model);
  const room = roomFor(incoming.request, known, budgetTokens);
  const tokens = measured ?? Math.ceil(counted * tokenRatio);
  const { maxViewBytes, maxImages } = byteLimits(incoming, known);
  const mostTokens = longestPrompt(room, entry.inputLimitTokens, measured !== undefined);
  if (tokens <= mostTokens && maxViewBytes === undefined && maxImages === undefined) {
    return { outgoing: { ...forwardUnchanged(incoming), tokensIn: tokens, tokensSent: tokens }, tokenRatio };
  }
  const folded = await foldInScratch(incoming, ports, { ...ports, tokenRatio });
  return { outgoing: folded ?? forwardUnchanged(incoming), tokenRatio };
}

/** The token ratio with which a new session's forecast of this prompt is `promptTokens`; a forecast adds some tokens for each block. */
function ratioFor(promptTokens: number, counted: number, { messages }: IncomingRequest): number {
  const blockTokens = forecast(createForecast(), messages) - countMessagesTokens(messages);
  return Math.max(LEAST_RATIO, (promptTokens - blockTokens) / Math.max(1, counted));
}

/** The longest prompt to send: the whole window where the model's count was measured, else what it surely accepts. */
function longestPrompt({ contextWindow, maxTokens }: PromptRoom, inputLimit: number | undefined, isMeasured: boolean) {
  const inputLimitTokens = inputLimit ?? contextWindow;
  if (!isMeasured) return allowedTokens({ contextWindow, maxTokens, inputLimitTokens });
  return Math.min(contextWindow - maxTokens, inputLimitTokens);
}

/**
 * The tokens of the prompt by what the session learned from the model's reports; undefined where it learned nothing. Read from the session's
 * events, as a session that was not configured with this model yet does not have it in memory.
 */
async function measuredTokens(
  incoming: IncomingRequest,
  match: SessionMatch,
  modelId: string,
): Promise<number | undefined> {
  const session = await conversationOf(match)?.session();
  const learned = newestLearned((await session?.events()) ?? [], modelId);
  if (learned === undefined) return undefined;
  const overhead = overheadOf(incoming.request).tokens;
  const state =
    learned.type === "ratio"
      ? createForecast({ tokenRatio: learned.tokenRatio, overheadTokens: overhead })
      : shiftOverhead(learned.forecast, overhead - learned.systemTokens - learned.toolTokens);
  return forecast(rebase(state), incoming.messages);
}

function conversationOf(match: SessionMatch): Conversation | undefined {
  switch (match.type) {
    case "continue":
    case "replay":
    case "rewind":
      return match.conversation;
    case "branch":
      return match.from;
    case "create":
      return undefined;
  }
}

/** A ledger that may take less than this share of the messages it replaces leaves out too much: then fewer of the newest messages are kept. */
const LEAST_QUOTED_SHARE = 0.3;
/** A condensation that leaves more than this share is refused as not worth it, and the fold that is made instead has no target. */
const MOST_LEFT_SHARE = 0.79;
/** A ledger takes about this share of the view that it is made of, however many messages are kept. */
const LEAST_LEDGER_SHARE = 0.12;

/**
 * Marks the newest messages as important, so that a ledger keeps them: as many as leave room to quote the others well. By itself a ledger would
 * keep a quarter of the room for the newest ones, and shrink the view to six tenths to leave room for later turns; but no turn follows a
 * summary. `targetTokens` is what ledger and kept messages may take together.
 */
export function keepNewest(messages: readonly Message[], targetTokens: number): readonly Message[] {
  const all = countMessagesTokens(messages);
  if (all <= targetTokens) return messages;
  const target = Math.min(targetTokens, MOST_LEFT_SHARE * all);
  const quotable = (target - LEAST_QUOTED_SHARE * all) / (1 - LEAST_QUOTED_SHARE);
  const mostKept = Math.min(quotable, target - LEAST_LEDGER_SHARE * all);
  let start = messages.length;
  let kept = 0;
  for (const unit of detectUnits(messages).toReversed()) {
    kept += countMessagesTokens(messages.slice(unit.start, unit.end));
    if (kept > mostKept) break;
    if (opensTurn(messages, unit.start)) start = unit.start;
  }
  return messages.map((message, index) => (index < start ? message : { ...message, important: true }));
}

/** Neighbouring messages of the assistant are one turn. */
function opensTurn(messages: readonly Message[], index: number): boolean {
  return messages[index]?.role !== "assistant" || messages[index - 1]?.role !== "assistant";
}
