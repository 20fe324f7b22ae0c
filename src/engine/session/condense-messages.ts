import type { Message } from "../../core/message/message.ts";
import { MIN_CONDENSE_WINDOW } from "../../core/policy/will-manage-context.ts";
import type { CondensationContext, CondensationResult } from "../../core/ports/condensation.ts";
import { CONDENSING_IS_OFF } from "../condense/off-switch.ts";
import { runCondensation } from "../condense/run-condensation.ts";
import { ownMessages } from "../extensions/own-messages.ts";
import type { LiveSession } from "./live-session.ts";
import type { SessionEvent } from "./report.ts";

export interface CondenseRequest {
  readonly messages: readonly Message[];
  readonly context: CondensationContext;
  readonly prompt?: string | undefined;
  /** @default true */
  readonly mayAskModel?: boolean | undefined;
  readonly targetShare?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the engine's condensers. The log does not change: the caller commits the result. */
export async function condenseMessages(session: LiveSession, request: CondenseRequest): Promise<CondensationResult> {
  const { context, prompt, targetShare, mayAskModel = true } = request;
  const { closeSignal } = session;
  const signal = request.signal === undefined ? closeSignal : AbortSignal.any([request.signal, closeSignal]);
  const ports = session.ports;
  return runCondensation(
    {
      // As frozen copies: condensers get them, and in the middle of a plan they are not in the log yet.
      context: Object.freeze({ ...context, messages: ownMessages(request.messages) }),
      systemPrompt: session.systemPrompt(),
      overheadTokens: session.meter().overheadTokens(),
      countTokens: session.countTokens,
      keepMessages: ports.configuration.strategies.keepMessages ?? session.model().condense.keepMessages,
      prompt,
      targetShare,
      // In a window that is too small for a model's summary, a ledger may still run.
      mayAskModel: mayAskModel && context.contextWindow >= MIN_CONDENSE_WINDOW,
      signal,
    },
    ports,
  );
}

export interface TriedCondensation {
  /** The log that was to be condensed. */
  readonly messages: readonly Message[];
  readonly result: CondensationResult;
  readonly prevContextTokens: number;
  /** Whether it was aborted, or lost a race: then it causes no back-off, as it says nothing about the model. @default false */
  readonly isAborted?: boolean;
}

/** Updates the back-offs, and records a condensation's events. */
export function recordCondensation(session: LiveSession, tried: TriedCondensation): void {
  updateBackOffs(session, tried);
  for (const event of condensationEvents(session, tried)) session.record(event);
}

/** Updates the back-offs, so that a condensation that failed is not tried again at once. */
export function updateBackOffs(
  { backOff, localBackOff }: Pick<LiveSession, "backOff" | "localBackOff">,
  { messages, result, isAborted = false }: TriedCondensation,
): void {
  if (isAborted || result.error === CONDENSING_IS_OFF) return;
  backOff.record(messages, result);
  localBackOff.record(messages, result);
}

/** The events of a condensation. */
export function condensationEvents(
  { ports }: Pick<LiveSession, "ports">,
  { result, prevContextTokens }: TriedCondensation,
): readonly SessionEvent[] {
  const { error, modelError, cost, summary, condenseId, newContextTokens = 0 } = result;
  const at = ports.now();
  const events: SessionEvent[] = [];
  // At no cost: the cost of the failed attempts is part of the result's own.
  if (modelError !== undefined) events.push({ type: "condense_failed", at, error: modelError, cost: 0 });
  if (error !== undefined) events.push({ type: "condense_failed", at, error, cost });
  else if (condenseId !== undefined) {
    events.push({ type: "condense_context", at, condenseId, summary, cost, prevContextTokens, newContextTokens });
  }
  return events;
}
