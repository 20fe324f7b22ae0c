import { PalimpsestError } from "../../core/errors.ts";
import type { CacheDiagnosis } from "../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { CalibrationOutcome } from "../../engine/session/calibrate.ts";
import type { SentBody } from "../../engine/session/requests/sent-request.ts";
import { windowIn } from "../match/align-log.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";
import type { TurnPorts } from "./turn-state.ts";

/** An answered request, as it is added to its session's statement. */
export interface AnsweredRequest {
  readonly at: number;
  readonly usage: ReportedUsage | undefined;
  readonly tokensSent: number;
  /** Whether the session's view was sent. */
  readonly isView: boolean;
  /** The body as it went to the provider; undefined where it is not to be kept. */
  readonly body: SentBody | undefined;
  readonly cacheDiagnosis?: CacheDiagnosis | undefined;
  /** The report that its session learns from. @default nothing is learned */
  readonly report?: PromptReport | undefined;
}

/** What the upstream reported for the view of a session. */
export interface PromptReport {
  readonly usage: ReportedUsage;
  /** How many tokens of the agent's prompt were not sent. */
  readonly hiddenTokens: number;
}

export interface RecordRequestOptions extends Pick<TurnPorts, "incident"> {
  readonly room: PromptRoom;
  readonly sent: AnsweredRequest;
}

/**
 * Adds an answered request to its session's statement, and records the report for it in the same write. Every gateway then forecasts the session's
 * next prompt from the same report, and so folds at the same moment and to the same bytes.
 */
export async function recordRequest(
  incoming: IncomingRequest,
  conversation: Conversation,
  { room, sent, incident }: RecordRequestOptions,
): Promise<void> {
  const { at, usage, tokensSent, isView, body, cacheDiagnosis, report } = sent;
  const session = await conversation.session();
  configureSession(conversation.prompt, session, { request: incoming.request, room });
  // The log may have grown since: a later request may have come already.
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

/** Remembers the size of the reported prompt. A report that no tokenizer can have made is not used; the first one of a conversation is an incident. */
function noteReport(
  outcome: CalibrationOutcome | undefined,
  { usage, hiddenTokens }: PromptReport,
  { incoming, conversation, incident }: Reported,
): void {
  const bodyBytes = incoming.body.length;
  if (outcome === "kept") conversation.prompt.last = { bodyBytes, promptTokens: promptTokensOf(usage) + hiddenTokens };
  if (outcome !== "implausible") return;
  conversation.prompt.last = { bodyBytes, promptTokens: undefined };
  if (!conversation.prompt.isUsageDoubted) incident("usage", implausible(promptTokensOf(usage)));
  conversation.prompt.isUsageDoubted = true;
}

function implausible(promptTokens: number): PalimpsestError {
  return new PalimpsestError(
    "implausible-usage",
    `The upstream reported a prompt of ${promptTokens} tokens, which no tokenizer makes of it. The report is not used; check the server.`,
  );
}
