import { MIN_CONDENSE_WINDOW } from "../../core/policy/will-manage-context.ts";
import type { CondensationResult, CondensationTrigger } from "../../core/ports/condensation.ts";
import { refuseCondensation } from "../condense/condensation-run.ts";
import type { Background } from "./background.ts";
import { condenseMessages, type LiveSession, look, recordCondensation } from "./live-session.ts";

export interface CondenseByHand {
  /** Replaces every other prompt this once. */
  readonly prompt?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What hooks and telemetry are told. @default "manual" */
  readonly trigger?: CondensationTrigger | undefined;
}

/** Condenses because a person asked for it: at any fill, and also right after a failure. */
export async function condenseByHand(
  session: LiveSession,
  background: Background,
  { prompt, signal, trigger = "manual" }: CondenseByHand,
): Promise<CondensationResult> {
  // Never two at once: what is under way anyway is what was asked for, unless it fails.
  await background.wait();
  const ahead = background.take();
  if (ahead !== undefined && ahead.error === undefined) return ahead;
  const base = session.log.state();
  const off = whyOff(session);
  if (off !== undefined) return refuseCondensation(base.messages, { error: off });
  const { context } = look(session, trigger);
  const result = await condenseMessages(session, { messages: base.messages, context, prompt, signal });
  if (result.error === undefined) {
    session.log.commit(base, result.messages);
    session.meter().rewritten();
  }
  recordCondensation(session, base.messages, { result, context });
  return result.error === undefined ? { ...result, messages: session.log.state().messages } : result;
}

/** Off means off, also for the person who asks. */
function whyOff(session: LiveSession): string | undefined {
  const { contextWindow } = session.model();
  if (session.ports().configuration.strategies.primary === "truncation") {
    return 'Condensing is off: strategies.primary is "truncation".';
  }
  return contextWindow < MIN_CONDENSE_WINDOW
    ? `A window of ${contextWindow} tokens is too small to condense with a model; from ${MIN_CONDENSE_WINDOW} on it is possible.`
    : undefined;
}
