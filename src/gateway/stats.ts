import type { Activity, ActivityFeed, RequestActivity } from "./activity.ts";

/** Sums over requests. */
export interface RequestTotals {
  readonly requests: number;
  /** The tokens of the prompts as agents sent them, and as they went upstream. */
  readonly tokensIn: number;
  readonly tokensSent: number;
  readonly folds: number;
  /** Refused upstream as too long, then sent again shorter. */
  readonly retries: number;
  /** In USD, as far as prices are known. */
  readonly costUsd: number;
}

export interface GatewayStats extends RequestTotals {
  readonly startedAt: number;
  /** By what the upstream answered; "none" where it did not. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly incidents: number;
}

/** Adds up what happens. */
export interface StatsKeeper {
  total(): GatewayStats;
  /** Since the gateway was started; undefined where nothing was asked in that session. */
  ofSession(sessionId: string): RequestTotals | undefined;
  /** The newest requests, the newest last; of one session, where one is named. */
  recent(sessionId?: string): readonly RequestActivity[];
}

const NONE: RequestTotals = {
  requests: 0,
  tokensIn: 0,
  tokensSent: 0,
  folds: 0,
  retries: 0,
  costUsd: 0,
};

/** A gateway that runs for months must not remember everything. */
const MOST_RECENT = 1_000;
const MOST_SESSIONS = 5_000;

export function keepStats(feed: ActivityFeed, startedAt: number): StatsKeeper {
  let totals = NONE;
  let incidents = 0;
  const statuses: Record<string, number> = {};
  const bySession = new Map<string, RequestTotals>();
  let recent: RequestActivity[] = [];

  function take(activity: Activity): void {
    if (activity.type === "incident") incidents += 1;
    if (activity.type !== "request") return;
    totals = add(totals, activity);
    const status = String(activity.status ?? "none");
    statuses[status] = (statuses[status] ?? 0) + 1;
    recent.push(activity);
    if (recent.length > 2 * MOST_RECENT) recent = recent.slice(-MOST_RECENT);
    if (activity.sessionId !== undefined) addToSession(activity.sessionId, activity);
  }

  function addToSession(sessionId: string, activity: RequestActivity): void {
    const sum = add(bySession.get(sessionId) ?? NONE, activity);
    // Behind the others: those that were asked longest ago come first.
    bySession.delete(sessionId);
    bySession.set(sessionId, sum);
    const [oldest] = bySession.keys();
    if (bySession.size > MOST_SESSIONS && oldest !== undefined) bySession.delete(oldest);
  }

  feed.listen(take);
  return {
    total: () => ({ ...totals, startedAt, statuses: { ...statuses }, incidents }),
    ofSession: (sessionId) => bySession.get(sessionId),
    recent: (sessionId) =>
      recent.slice(-MOST_RECENT).filter((each) => sessionId === undefined || each.sessionId === sessionId),
  };
}

function add(totals: RequestTotals, activity: RequestActivity): RequestTotals {
  return {
    requests: totals.requests + 1,
    tokensIn: totals.tokensIn + activity.tokensIn,
    tokensSent: totals.tokensSent + activity.tokensSent,
    folds: totals.folds + activity.foldIds.length,
    retries: totals.retries + activity.retries,
    costUsd: totals.costUsd + (activity.costUsd ?? 0),
  };
}
