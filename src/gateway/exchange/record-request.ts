import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { SentBody } from "../../engine/session/session.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";

/** A request that was answered. */
export interface AnsweredRequest {
  readonly at: number;
  readonly usage: ReportedUsage | undefined;
  readonly tokensSent: number;
  /** Whether what was sent is what its session showed then. */
  readonly isView: boolean;
  /** As it went to the provider; undefined for a round in which the gateway answered its own tool. */
  readonly body: SentBody | undefined;
}

/** Adds an answered request to its session's statement. */
export async function recordRequest(
  { request, messages }: IncomingRequest,
  conversation: Conversation,
  { room, sent }: { readonly room: PromptRoom; readonly sent: AnsweredRequest },
): Promise<void> {
  const session = await conversation.session();
  configureSession(conversation, session, { request, room });
  const { at, usage, tokensSent, isView, body } = sent;
  // A later request may have come already: then the session shows more than what was sent.
  const messageCount = isView ? messages.length : undefined;
  await session.recordRequest({ at, usage, promptTokens: tokensSent, messageCount, body });
}
