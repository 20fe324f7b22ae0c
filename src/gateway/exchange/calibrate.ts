import { PalimpsestError } from "../../core/errors.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { createForecast, forecast } from "../../core/tokens/forecast.ts";
import { usageDoubt } from "../../core/tokens/plausible-usage.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { spokenMessages } from "../match/wire-view.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";
import type { TurnPorts } from "./turn-state.ts";

export interface ReportedPrompt extends Pick<TurnPorts, "incident"> {
  readonly room: PromptRoom;
  readonly promptTokens: number;
  /** The tokens of the prompt as it came that were not sent. */
  readonly hiddenTokens: number;
}

/** In small prompts, what providers add to every prompt weighs too much. */
const SMALLEST_PROMPT_TOKENS = 2_000;
const STEPS_PER_UNIT = 20;
/** A smaller difference is no other tokenizer, and a whole step for it would count system prompt and tools higher too: much of a small window. */
const NEGLIGIBLE_SHARE = 0.005;
/** The ratio rises at once, as prompts must fit, and falls only by this much or more. */
const LEAST_FALL = 0.1;
const [LOWEST, HIGHEST] = [0.5, 2.5];

/**
 * Learns from a report how many of the model's tokens one of ours is. In coarse steps, and kept in the session: every gateway that has it
 * folds at the same moment, and to the same bytes. A report that no tokenizer can have made teaches nothing.
 */
export async function calibrate(
  incoming: IncomingRequest,
  conversation: Conversation,
  reported: ReportedPrompt,
): Promise<void> {
  const { room, promptTokens, hiddenTokens, incident } = reported;
  const session = await conversation.session();
  configureSession(conversation, session, { request: incoming.request, room });
  const { log, view, nextTokenRatio } = await session.snapshot();
  // A later request may have come already: then the view is not the one that was reported.
  if (spokenMessages(log).length !== incoming.messages.length) return;
  const overheadTokens = conversation.lastConfigured?.overheadTokens ?? 0;
  const bodyBytes = incoming.body.length;
  const doubt = usageDoubt(promptTokens, { messages: view, overheadTokens });
  if (doubt !== undefined) {
    conversation.last = { bodyBytes, promptTokens: undefined };
    if (!conversation.isUsageDoubted) incident("usage", implausible(promptTokens));
    conversation.isUsageDoubted = true;
    return;
  }
  const ratio = ratioAfter(promptTokens, countMessagesTokens(view) + overheadTokens, nextTokenRatio);
  if (ratio !== nextTokenRatio) await session.calibrate(ratio, { from: "next-message" });
  // At least the session's own forecast: a prompt that is taken for surely small must be small for the session too.
  const own = forecast(createForecast({ tokenRatio: ratio, overheadTokens }), view);
  conversation.last = { bodyBytes, promptTokens: Math.max(own, promptTokens) + hiddenTokens };
}

function ratioAfter(promptTokens: number, countedTokens: number, before: number): number {
  if (countedTokens < SMALLEST_PROMPT_TOKENS) return before;
  const found = Math.ceil((promptTokens / countedTokens - NEGLIGIBLE_SHARE) * STEPS_PER_UNIT) / STEPS_PER_UNIT;
  const ratio = Math.min(HIGHEST, Math.max(LOWEST, found));
  return ratio > before || ratio <= before - LEAST_FALL ? ratio : before;
}

function implausible(promptTokens: number): PalimpsestError {
  return new PalimpsestError(
    "implausible-usage",
    `The upstream reported a prompt of ${promptTokens} tokens, which no tokenizer makes of it. The report is not used; check the server.`,
  );
}
