import { economyTokens } from "../../core/policy/economy.ts";
import { decideRent, type RentDecision, tokensLeft } from "../../core/policy/rent.ts";
import type { ManagementDecision } from "../../core/policy/will-manage-context.ts";
import { meanGrowth } from "../../core/statement/request-totals.ts";
import type { LiveSession } from "./live-session.ts";
import type { LogState } from "./log-state.ts";
import type { RentSizes } from "./rent-meter.ts";

/** Whether to condense a prompt and how far, by prices. */
export interface PriceDecision {
  readonly decision: ManagementDecision;
  readonly rent: RentDecision;
}

/** The assumed size of a model's summary. */
const SUMMARY_TOKENS = 2_000;
/** The most that a fold leaves, as a share of what is allowed beside system prompt and tools: in a small window, it is less than the economy. */
const MOST_LEFT_SHARE = 0.5;
/** Targets are rounded to this step: the forecasts of two gateways may be a token apart, and both must write the same ledger. */
const TARGET_STEP = 250;
/** The gain that validation demands is taken this much larger: estimates are a little off, and a fold that saves less is refused. */
const SAVING_SLACK = 1.05;

/** Decides by prices when to condense, instead of by a percentage of the window; undefined where the prices are not known. */
export function decideByPrices(
  session: LiveSession,
  state: LogState,
  decision: ManagementDecision,
): PriceDecision | undefined {
  const { prices, cacheTtlMs } = session.model();
  if (prices === undefined) return undefined;
  const { prevContextTokens, overheadTokens, allowedTokens, mayCondense, mustShrink } = decision;
  const { configuration, plugins, now } = session.ports;
  const saidTokens = Math.max(0, prevContextTokens - overheadTokens);
  const sizes = modelSizes(session, state, saidTokens);
  const roomTokens = MOST_LEFT_SHARE * Math.max(0, allowedTokens - overheadTokens);
  const fixedTokens = Math.min(sizes.fixedTokens, saidTokens);
  const budgetTokens = Math.min(sizes.budgetTokens, Math.max(0, roomTokens - fixedTokens));
  const { newestTurnTokens } = sizes;
  const requests = session.log.requests();
  const leftTokens = Math.min(fixedTokens + tokensLeft({ budgetTokens, newestTurnTokens }), roomTokens);
  const targetTokens = overheadTokens + Math.max(1, Math.round(leftTokens / TARGET_STEP) * TARGET_STEP);
  const { enabled, rules } = configuration.validation;
  const rent = decideRent(
    {
      tokens: saidTokens - fixedTokens,
      newestTurnTokens,
      budgetTokens,
      growthTokens: meanGrowth(requests),
      rereadTokens: requests.rereadTokens,
      isCold: isIdle(now(), cacheTtlMs, [requests.lastAt, session.rent.preparedAt()]),
      leastGainTokens: enabled ? (SAVING_SLACK * saidTokens * rules.minSavingPercent) / 100 : 0,
      condensedBy: plugins.list().some(({ usesModel = true }) => usesModel)
        ? { promptTokens: prevContextTokens, summaryTokens: SUMMARY_TOKENS }
        : undefined,
    },
    { now: prices(prevContextTokens), folded: prices(targetTokens) },
  );
  const isDue = rent.reason !== "waits";
  const missingTokens = Math.max(0, rent.neededGainTokens - rent.gainTokens);
  return {
    rent,
    decision: {
      ...decision,
      shouldCondense: mayCondense && (isDue || mustShrink),
      triggerTokens: isDue ? prevContextTokens : Math.min(allowedTokens, prevContextTokens + missingTokens),
      targetTokens,
    },
  };
}

/** The session's sizes in the model's own tokens, as prices are per token of the model. */
function modelSizes(
  { ports, rent, log }: LiveSession,
  state: LogState,
  saidTokens: number,
): RentSizes & { readonly budgetTokens: number } {
  const ratio = saidTokens / Math.max(1, log.viewTokens());
  const budgetTokens = economyTokens(ports.configuration.thresholds.economy);
  const counted = rent.sizes(state, budgetTokens / Math.max(ratio, Number.EPSILON));
  return {
    budgetTokens,
    fixedTokens: ratio * counted.fixedTokens,
    newestTurnTokens: ratio * counted.newestTurnTokens,
  };
}

/** Whether the prompt cache must have expired. False where no earlier prompt is known, as another process may have sent one, or the clock was set back. */
function isIdle(now: number, cacheTtlMs: number, sentAt: readonly (number | undefined)[]): boolean {
  const times = sentAt.filter((at) => at !== undefined);
  return times.length > 0 && cacheTtlMs > 0 && times.every((at) => now - at > cacheTtlMs);
}
