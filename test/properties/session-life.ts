/** A session under test, and the checks of what it does. */
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Message } from "../../src/core/message/message.ts";
import { TOKEN_BUFFER_PERCENTAGE } from "../../src/core/tokens/budget.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { Prepared, PrepareReport } from "../../src/engine/session/report.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { isPrefix, newProblems, smallestViewTokens } from "./promises.ts";
import type { Told } from "./session-parts.ts";
import type { SessionPlan } from "./session-plans.ts";

/** What happened, so that a test can see that it tested something. */
export interface Tally {
  prepared: number;
  refused: number;
  condensed: number;
  truncated: number;
  /** Views that were prepared again at once. */
  repeated: number;
}

/** A session and all that is known of it. */
export interface Life {
  readonly plan: SessionPlan;
  readonly engine: Engine;
  readonly session: Session;
  readonly overheadTokens: number;
  readonly requestCount: () => number;
  readonly breaches: string[];
  readonly views: string[];
  readonly tally: Tally;
  original: readonly Message[];
  turns: number;
  contextWindow: number;
  /** How often a model had been asked when that was switched off; undefined while it is on. */
  requestsWhenOff: number | undefined;
  lastView: readonly Message[] | undefined;
  /** Whether anything but a prepare folded or unfolded since the last view. */
  isRewritten: boolean;
  /** What the provider has reported of sizes: our own count decides what fits only as long as it has not. */
  reports: "none" | "agree" | "understate";
}

/** Valid, fits and still: what is given out can be sent. */
export function checkPrepared(life: Life, { messages, report }: Prepared): void {
  const { breaches, original, lastView, isRewritten, overheadTokens } = life;
  for (const { reason } of newProblems(messages, original)) breaches.push(`valid: prepared view: ${reason}`);
  if (report.promptTokens > report.allowedTokens) {
    breaches.push(`fits: ${report.promptTokens} tokens reported, ${report.allowedTokens} allowed`);
  }
  const counted = overheadTokens + countMessagesTokens(messages);
  const limit = countedLimit(life, report);
  if (counted > limit) breaches.push(`fits: ${counted} tokens counted, ${limit} allowed`);
  if (report.foldIds.length === 0 && !isRewritten && lastView !== undefined && !isPrefix(lastView, messages)) {
    breaches.push("still: nothing was folded, but the view before is no prefix of this one");
  }
}

/** What is allowed follows from the overhead as the provider reports it, which is not quite ours. */
const OVERHEAD_SLACK = 0.01;

/** How large a view may be by our own count. */
function countedLimit({ reports, overheadTokens }: Life, { allowedTokens, contextWindow }: PrepareReport): number {
  switch (reports) {
    case "none":
      return allowedTokens;
    // Where the provider counts a little differently, the tenth that stays free of what is beside system prompt and tools takes care.
    case "agree":
      return (
        allowedTokens + TOKEN_BUFFER_PERCENTAGE * (contextWindow - overheadTokens) + OVERHEAD_SLACK * contextWindow
      );
    // Who says that less was sent than was sent is believed: some models make fewer tokens of a text.
    case "understate":
      return Number.POSITIVE_INFINITY;
  }
}

/** Only what cannot be folded may make a view impossible, unless truncating is forbidden. */
export async function checkRefusal(life: Life, error: unknown): Promise<void> {
  const { breaches, session, plan, overheadTokens } = life;
  if (!(error instanceof PalimpsestError) || error.code !== "cannot-fit") {
    breaches.push(`error: prepare threw ${error instanceof Error ? error.stack : String(error)}`);
    return;
  }
  if (plan.settings.fallback === "error" && life.requestsWhenOff === undefined) return;
  const { contextWindow } = life;
  const maxTokens = plan.maxTokens ?? Math.min(8_192, Math.floor(contextWindow / 4));
  const smallest = overheadTokens + smallestViewTokens(await session.log());
  const allowed = contextWindow * 0.9 - maxTokens;
  if (smallest <= allowed) {
    breaches.push(`fits: refused where ${smallest} tokens are possible and ${allowed} allowed: ${error.message}`);
  }
}

/** Off means off: who is not to be told is not told. */
export function offBreaches({ plan, requestCount, requestsWhenOff }: Life, told: Told): readonly string[] {
  const { settings } = plan;
  return [
    ...(requestCount() > (requestsWhenOff ?? Number.POSITIVE_INFINITY) ? ["off: a model was asked"] : []),
    ...(!settings.hooks && told.hooks > 0 ? ["off: a hook was called"] : []),
    ...(!settings.telemetry && told.telemetry > 0 ? ["off: telemetry was told"] : []),
    ...(!settings.logging && told.lines > 0 ? ["off: a line was logged"] : []),
  ];
}
