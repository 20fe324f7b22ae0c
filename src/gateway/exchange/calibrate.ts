import { PalimpsestError } from "../../core/errors.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { windowIn } from "../match/align.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { configureSession, type PromptRoom } from "./configure-session.ts";
import type { TurnPorts } from "./turn-state.ts";

export interface ReportedPrompt extends Pick<TurnPorts, "incident"> {
  readonly room: PromptRoom;
  readonly usage: ReportedUsage;
  /** The tokens of the prompt as it came that were not sent. */
  readonly hiddenTokens: number;
}

/**
 * Keeps in the session what the upstream reported for its view: every gateway that has it foretells the next prompt from there, and so
 * folds at the same moment, and to the same bytes. A report that no tokenizer can have made teaches nothing.
 */
export async function calibrate(
  incoming: IncomingRequest,
  conversation: Conversation,
  reported: ReportedPrompt,
): Promise<void> {
  const { room, usage, hiddenTokens, incident } = reported;
  const session = await conversation.session();
  configureSession(conversation, session, { request: incoming.request, room });
  const snapshot = await session.snapshot();
  const { version } = snapshot;
  // A later request may have come already: then the view is not the one that was reported.
  if (windowIn(incoming, snapshot.log) === undefined) return;
  const bodyBytes = incoming.body.length;
  const outcome = await session.calibrate(usage, { from: "next-message", version });
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
