import { PalimpsestError } from "../../core/errors.ts";
import type { CacheDiagnosis } from "../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { CalibrationOutcome, SentBody } from "../../engine/session/session.ts";
import { windowIn } from "../match/align.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";
import type { TurnPorts } from "./turn-state.ts";

/** A request that was answered. */
export interface AnsweredRequest {
  readonly at: number;
  readonly usage: ReportedUsage | undefined;
  readonly tokensSent: number;
  /** Whether what was sent is what its session showed then. */
  readonly isView: boolean;
  /** The body as it went to the provider; undefined where it is not to be kept. */
  readonly body: SentBody | undefined;
  readonly cacheDiagnosis?: CacheDiagnosis | undefined;
  /** What its session learns from it. @default nothing */
  readonly report?: PromptReport | undefined;
}

/** What the upstream reported for the view of a session. */
export interface PromptReport {
  readonly usage: ReportedUsage;
  /** The tokens of the prompt as it came that were not sent. */
  readonly hiddenTokens: number;
}

export interface RecordRequestOptions extends Pick<TurnPorts, "incident"> {
  readonly room: PromptRoom;
  readonly sent: AnsweredRequest;
}

/**
 * Adds an answered request to its session's statement, and keeps what was reported for it in the same write: every gateway that has the session
 * foretells the next prompt from there, and so folds at the same moment, and to the same bytes.
 */
export async function recordRequest(
  incoming: IncomingRequest,
  conversation: Conversation,
  { room, sent, incident }: RecordRequestOptions,
): Promise<void> {
  const { at, usage, tokensSent, isView, body, cacheDiagnosis, report } = sent;
  const session = await conversation.session();
  configureSession(conversation, session, { request: incoming.request, room });
  // A later request may have come already: then the session shows more than what was sent.
  const place = incoming.compactionAt === undefined ? 0 : windowIn(incoming, await session.log());
  const messageCount = isView ? (place ?? 0) + incoming.messages.length : undefined;
  const learned = place === undefined ? undefined : report;
  const calibration = learned && ({ usage: learned.usage, from: "next-message" } as const);
  const promptTokens = tokensSent;
  const outcome = await session.recordRequest({
    at,
    usage,
    promptTokens,
    messageCount,
    body,
    cacheDiagnosis,
    calibration,
  });
  if (learned !== undefined) noteReport(outcome, learned, { incoming, conversation, incident });
}

interface Reported extends Pick<TurnPorts, "incident"> {
  readonly incoming: IncomingRequest;
  readonly conversation: Conversation;
}

/** A report that no tokenizer can have made teaches nothing; its conversation says so once. */
function noteReport(
  outcome: CalibrationOutcome | undefined,
  { usage, hiddenTokens }: PromptReport,
  { incoming, conversation, incident }: Reported,
): void {
  const bodyBytes = incoming.body.length;
  if (outcome === "kept") conversation.last = { bodyBytes, promptTokens: promptTokensOf(usage) + hiddenTokens };
  if (outcome !== "implausible") return;
  conversation.last = { bodyBytes, promptTokens: undefined };
  if (!conversation.isUsageDoubted) incident("usage", implausible(promptTokensOf(usage)));
  conversation.isUsageDoubted = true;
}

function implausible(promptTokens: number): PalimpsestError {
  return new PalimpsestError(
    "implausible-usage",
    `The upstream reported a prompt of ${promptTokens} tokens, which no tokenizer makes of it. The report is not used; check the server.`,
  );
}
