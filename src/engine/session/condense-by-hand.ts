import { assert, assertObject } from "../../core/assert.ts";
import { MIN_CONDENSE_WINDOW } from "../../core/policy/will-manage-context.ts";
import type { CondensationResult, CondensationTrigger } from "../../core/ports/condensation.ts";
import { CONDENSED_TOO_LATE, refuseCondensation } from "../condense/condensation-run.ts";
import { CONDENSING_IS_OFF } from "../condense/off-switch.ts";
import { assess, condensesLocally, shareOfTarget } from "./assess.ts";
import type { Background } from "./background.ts";
import { condenseMessages, recordCondensation } from "./condense-messages.ts";
import type { LiveSession } from "./live-session.ts";
import type { WholeLog } from "./log-state.ts";
import { settledOrAborted } from "./until-aborted.ts";

export interface CondenseByHand {
  /** Replaces every other prompt for this condensation, except one that a hook sets. */
  readonly prompt?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The size to aim at, as a share of the longest prompt, for condensers that can choose. @default the policy's, else the condenser's own */
  readonly targetShare?: number | undefined;
  /** The trigger that hooks and telemetry see. @default "manual" */
  readonly trigger?: CondensationTrigger | undefined;
}

/** Condenses on request: however full the window is, and also right after a failure. Resolves to a result with `error` where it fails. */
export async function condenseByHand(
  session: LiveSession,
  background: Background,
  byHand: CondenseByHand,
): Promise<CondensationResult> {
  assertByHand(byHand);
  const { prompt, signal, targetShare, trigger = "manual" } = byHand;
  const { log } = session;
  // Never two at once: a condensation in the background that succeeds is what was asked for.
  await settledOrAborted(background.wait(), signal);
  const ahead = await background.take();
  if (ahead !== undefined && ahead.error === undefined) return { ...ahead, messages: (await log.whole()).messages };
  const base = await log.whole();
  const off = signal?.aborted === true ? "The request was aborted." : whyOff(session);
  if (off !== undefined) return refuseCondensation(base.messages, { error: off });
  const assessment = assess(session, { trigger });
  const { context } = assessment;
  const { prevContextTokens } = context;
  const condensed = await condenseMessages(session, {
    messages: base.messages,
    context,
    prompt,
    targetShare: targetShare ?? shareOfTarget(assessment),
    signal,
  });
  const result = await commit(session, base, condensed);
  const isAborted = signal?.aborted === true;
  recordCondensation(session, { messages: base.messages, result, prevContextTokens, isAborted });
  return result;
}

async function commit({ log }: LiveSession, base: WholeLog, result: CondensationResult): Promise<CondensationResult> {
  if (result.error !== undefined) return result;
  const { cost, modelCalls = 1 } = result;
  if (!(await log.commit(base, result.messages))) {
    return refuseCondensation((await log.whole()).messages, { error: CONDENSED_TOO_LATE, costUsd: cost, modelCalls });
  }
  return { ...result, messages: (await log.whole()).messages };
}

/** Why condensing is not possible, also on request; undefined where it is. */
function whyOff(session: LiveSession): string | undefined {
  const { contextWindow } = session.model();
  if (session.ports.configuration.strategies.primary === "truncation") {
    return CONDENSING_IS_OFF;
  }
  return contextWindow < MIN_CONDENSE_WINDOW && !condensesLocally(session)
    ? `A window of ${contextWindow} tokens is too small to condense with a model; from ${MIN_CONDENSE_WINDOW} on it is possible.`
    : undefined;
}

function assertByHand(byHand: CondenseByHand): void {
  assertObject("options", byHand, '{ prompt: "Keep the decisions." }');
  const { prompt, trigger, targetShare = 0.5 } = byHand;
  const isShare = typeof targetShare === "number" && targetShare > 0 && targetShare < 1;
  assert(isShare, "options.targetShare", targetShare, "above 0 and below 1");
  assert(prompt === undefined || typeof prompt === "string", "options.prompt", prompt, "a string");
  const isTrigger = trigger === undefined || trigger === "manual" || trigger === "auto";
  assert(isTrigger, "options.trigger", trigger, '"manual" or "auto"');
}
