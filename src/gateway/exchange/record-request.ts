import type { CacheDiagnosis } from "../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { SentBody, Session } from "../../engine/session/session.ts";
import { windowIn } from "../match/align.ts";
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
  /** As it went to the provider. */
  readonly body: SentBody;
  readonly cacheDiagnosis?: CacheDiagnosis | undefined;
}

/** Adds an answered request to its session's statement. */
export async function recordRequest(
  incoming: IncomingRequest,
  conversation: Conversation,
  { room, sent }: { readonly room: PromptRoom; readonly sent: AnsweredRequest },
): Promise<void> {
  const { request } = incoming;
  const session = await conversation.session();
  configureSession(conversation, session, { request, room });
  const { at, usage, tokensSent, isView, body, cacheDiagnosis } = sent;
  // A later request may have come already: then the session shows more than what was sent.
  const messageCount = isView ? await loggedCount(incoming, session) : undefined;
  await session.recordRequest({ at, usage, promptTokens: tokensSent, messageCount, body, cacheDiagnosis });
}

/** Of how many messages the log is that ends with the request. */
async function loggedCount(incoming: IncomingRequest, session: Session): Promise<number> {
  const { length } = incoming.messages;
  return incoming.compactionAt === undefined ? length : (windowIn(incoming, await session.log()) ?? 0) + length;
}
