import { economyTokens } from "../../core/policy/economy.ts";
import { decideRent, type RentDecision, tokensLeft } from "../../core/policy/rent.ts";
import type { ManagementDecision } from "../../core/policy/will-manage-context.ts";
import { meanGrowth } from "../../core/statement/request-totals.ts";
import type { LiveSession } from "./live-session.ts";
import type { LogState } from "./log-state.ts";
import type { RentSizes } from "./rent-meter.ts";

/** What prices say about a prompt: whether to condense it, and how far. */
export interface PriceDecision {
  readonly decision: ManagementDecision;
  readonly rent: RentDecision;
}

/** What a model's summary takes. */
const SUMMARY_TOKENS = 2_000;
/** In a small window a fold leaves this share of what is allowed beside system prompt and tools, whatever the economy is. */
const MOST_LEFT_SHARE = 0.5;
/** What two gateways foretell may be a token apart: they must still aim at the same, and write the same ledger. */
const TARGET_STEP = 250;
/** Estimates are a little off, and a fold that hides less than is demanded is refused. */
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

/** The session's sizes in the model's own tokens, which prices are for. */
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

/** A clock that was set back tells nothing, and where no prompt was sent before, the cache may well hold one of another process. */
function isIdle(now: number, cacheTtlMs: number, sentAt: readonly (number | undefined)[]): boolean {
  const known = sentAt.filter((at) => at !== undefined);
  return known.length > 0 && cacheTtlMs > 0 && known.every((at) => now - at > cacheTtlMs);
}
