import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { spokenMessages } from "../match/wire-view.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";

export interface ReportedPrompt {
  readonly room: PromptRoom;
  readonly promptTokens: number;
}

/** In small prompts, what providers add to every prompt weighs too much. */
const SMALLEST_PROMPT_TOKENS = 2_000;
const STEPS_PER_UNIT = 20;
/** Less is no other tokenizer, and a whole step for it would be a step of system prompt and tools too: much of a small room. */
const NEGLIGIBLE_SHARE = 0.005;
/** It rises at once, as prompts must fit, and falls when it is far off. */
const LEAST_FALL = 0.1;
const [LOWEST, HIGHEST] = [0.5, 4];

/**
 * Learns from a report how many of the model's tokens one of ours is. In coarse steps, and kept in the session: every gateway that has it
 * folds at the same moment, and to the same bytes.
 */
export async function calibrate(
  incoming: IncomingRequest,
  conversation: Conversation,
  { room, promptTokens }: ReportedPrompt,
): Promise<void> {
  const session = await conversation.session();
  configureSession(conversation, session, { request: incoming.request, room });
  const { log, view, tokenRatio } = await session.snapshot();
  // A later request may have come already: then the view is not the one that was reported.
  if (spokenMessages(log).length !== incoming.messages.length) return;
  const counted = countMessagesTokens(view) + (conversation.lastConfigured?.overheadTokens ?? 0);
  if (counted < SMALLEST_PROMPT_TOKENS) return;
  const found = Math.ceil((promptTokens / counted - NEGLIGIBLE_SHARE) * STEPS_PER_UNIT) / STEPS_PER_UNIT;
  const ratio = Math.min(HIGHEST, Math.max(LOWEST, found));
  if (ratio > tokenRatio || ratio <= tokenRatio - LEAST_FALL) await session.calibrate(ratio);
}
