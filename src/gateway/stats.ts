import type { Activity, ActivityFeed, RequestActivity } from "./activity.ts";

/** Sums over requests. */
export interface RequestTotals {
  readonly requests: number;
  /** The tokens of the prompts as agents sent them, and as they went upstream. */
  readonly tokensIn: number;
  readonly tokensSent: number;
  readonly folds: number;
  /** How often a request was sent again, shorter, after the upstream refused it as too long. */
  readonly retries: number;
  /** In USD, as far as prices are known. */
  readonly costUsd: number;
}

export interface GatewayStats extends RequestTotals {
  readonly startedAt: number;
  /** The number of requests by the upstream's HTTP status; "none" where it did not answer. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly incidents: number;
}

/** Sums the requests and incidents of a gateway. */
export interface StatsKeeper {
  total(): GatewayStats;
  /** The sums of one session since the gateway was started; undefined where the session had no request. */
  ofSession(sessionId: string): RequestTotals | undefined;
  /** The newest requests, the newest last; only those of a session if its id is given. */
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

/** How many requests and sessions are kept in memory, as a gateway may run for months. */
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
    // Moved to the end: the session whose last request is longest ago comes first.
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
