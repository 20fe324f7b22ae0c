import type { ModelRegistry } from "../core/models/registry.ts";
import type { Pause } from "../core/ports/pacer.ts";
import type { Store } from "../core/ports/store.ts";
import type { Statement } from "../core/statement/statement.ts";
import { statementSteps } from "../core/statement/sum-statement.ts";
import { runPaced } from "../engine/run-paced.ts";
import { type AccountEvents, accountOf, readAccountEvents } from "../engine/session/requests/read-account.ts";
import type { ActivityFeed } from "./activity.ts";

/** The sums of the statements of sessions, for the requests since the gateway was started. */
export type StatementTotals = Pick<
  Statement,
  "requests" | "unpriced" | "spentUsd" | "withoutFoldsUsd" | "withSummaryAt80Usd" | "optimumUsd" | "savedUsd"
>;

/** The costs of the sessions that had a request since the gateway was started. */
export interface StatementKeeper {
  /** Sums the statements of all these sessions. Reads only the records that were written since the last call. */
  total(): Promise<StatementTotals>;
}

export interface StatementKeeperOptions {
  readonly store: Pick<Store, "find" | "read">;
  readonly feed: ActivityFeed;
  readonly registry: ModelRegistry;
  readonly leftTokens: () => number;
  readonly since: number;
  /** Called between slices of work, as computing the optimum of a long session takes a while. @default no pauses */
  readonly pause?: Pause | undefined;
  /** Resolves when the requests so far are written. @default at once */
  readonly written?: (() => Promise<void>) | undefined;
}

const NONE: StatementTotals = {
  requests: 0,
  unpriced: 0,
  spentUsd: 0,
  withoutFoldsUsd: 0,
  withSummaryAt80Usd: 0,
  optimumUsd: 0,
  savedUsd: { againstNothing: 0, againstSummaryAt80: 0 },
};

/** The most sessions in memory. Of older ones only the sum is kept, as a gateway may run for months. */
const MOST_SESSIONS = 5_000;
/** The events of this many sessions, the ones with the newest requests, stay in memory, so that only their new records have to be read. */
const MOST_READ_SESSIONS = 100;

interface KnownSession {
  totals: StatementTotals;
  isStale: boolean;
  read: AccountEvents | undefined;
}

export function keepStatements(options: StatementKeeperOptions): StatementKeeper {
  const { store, feed, registry, leftTokens, since, pause = () => undefined, written } = options;
  /** The sessions, the one whose last request is longest ago first. */
  const sessions = new Map<string, KnownSession>();
  let forgotten = NONE;

  feed.listen((activity) => {
    if (activity.type !== "request" || activity.sessionId === undefined) return;
    const { sessionId } = activity;
    const { totals, read } = sessions.get(sessionId) ?? { totals: NONE, read: undefined };
    sessions.delete(sessionId);
    sessions.set(sessionId, { totals, isStale: true, read });
    const [oldest] = sessions;
    if (sessions.size <= MOST_SESSIONS || oldest === undefined) return;
    sessions.delete(oldest[0]);
    forgotten = addTotals(forgotten, oldest[1].totals);
  });

  async function read(sessionId: string, known: KnownSession): Promise<void> {
    const stored = await store.find(sessionId);
    known.read = stored && (await readAccountEvents(store, stored, known.read));
    if (known.read === undefined) return;
    const account = accountOf(known.read.events, since);
    const steps = statementSteps([account], { findModel: registry.find, leftTokens: leftTokens(), since });
    known.totals = await runPaced(steps, pause);
  }

  function forgetReads(): void {
    const older = [...sessions.values()].slice(0, -MOST_READ_SESSIONS);
    for (const known of older) known.read = undefined;
  }

  return {
    total: async () => {
      await written?.();
      for (const [sessionId, known] of sessions) {
        if (!known.isStale) continue;
        // Set before reading: a request that ends during the read makes the session stale again.
        known.isStale = false;
        try {
          await read(sessionId, known);
        } catch (error) {
          known.isStale = true;
          throw error;
        }
      }
      forgetReads();
      return [...sessions.values()].reduce((sum, { totals }) => addTotals(sum, totals), forgotten);
    },
  };
}

function addTotals(a: StatementTotals, b: StatementTotals): StatementTotals {
  return {
    requests: a.requests + b.requests,
    unpriced: a.unpriced + b.unpriced,
    spentUsd: a.spentUsd + b.spentUsd,
    withoutFoldsUsd: a.withoutFoldsUsd + b.withoutFoldsUsd,
    withSummaryAt80Usd: a.withSummaryAt80Usd + b.withSummaryAt80Usd,
    optimumUsd: a.optimumUsd + b.optimumUsd,
    savedUsd: {
      againstNothing: a.savedUsd.againstNothing + b.savedUsd.againstNothing,
      againstSummaryAt80: a.savedUsd.againstSummaryAt80 + b.savedUsd.againstSummaryAt80,
    },
  };
}
