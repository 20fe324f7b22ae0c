import type { Activity, ActivityFeed, RequestActivity } from "../../activity.ts";
import type { StatementKeeper, StatementTotals } from "../../statements.ts";
import { within } from "../../within.ts";
import { type MetricFamily, type Sample, writeMetrics, writeNumber } from "./metrics-text.ts";

/** Counts the gateway's activities for Prometheus. */
export interface GatewayMetrics {
  /** Writes all metrics as text. */
  text(): Promise<string>;
  /** Stops counting. */
  close(): void;
}

const ADDED_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const REQUEST_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Incidents that are reported as 0 from the start, because Prometheus sees no increase in a series that begins with 1. Others may be added. */
const INCIDENT_PLACES = ["begin", "fold", "learn", "recall", "record", "shorten", "statement", "store", "usage"];

interface Sums {
  tokensIn: number;
  tokensSent: number;
  folds: number;
  retries: number;
  costUsd: number;
}

/** The state of the store, as far as the gateway knows it without a call. */
export interface StoreState {
  readonly isAvailable: boolean;
  /** Records that wait in memory for a store that does not answer. */
  readonly unsavedRecords: number;
}

export interface MetricsOptions {
  readonly uptimeMs: () => number;
  /** Keeps the sums of the sessions' statements. @default the metrics do not have them */
  readonly statements?: StatementKeeper | undefined;
  /** @default the metrics of the store are left out */
  readonly storeState?: (() => StoreState) | undefined;
}

/** How long a scrape waits for the sums of the statements. After that, the metrics are sent without them. */
const STATEMENT_TIMEOUT_MS = 2_000;

export function countMetrics(feed: ActivityFeed, options: MetricsOptions): GatewayMetrics {
  const { uptimeMs, statements, storeState } = options;
  const requests = createLabelledCounter();
  const incidents = createLabelledCounter(INCIDENT_PLACES.map((what) => ({ what })));
  const sums: Sums = { tokensIn: 0, tokensSent: 0, folds: 0, retries: 0, costUsd: 0 };
  const added = createHistogram(ADDED_SECONDS);
  const lasted = createHistogram(REQUEST_SECONDS);

  function take(activity: Activity): void {
    // The text behind a colon is left out, because it may hold numbers: each would make another time series.
    if (activity.type === "incident") incidents.count({ what: activity.what.replace(/:.*/s, "") });
    if (activity.type !== "request") return;
    const { api, status, operation } = activity;
    requests.count({ api, status: String(status ?? "none"), operation });
    addRequest(sums, activity);
    added.observe(activity.addedMs / 1_000);
    lasted.observe((activity.at - activity.startedAt) / 1_000);
  }

  function families(money: StatementTotals | undefined): readonly MetricFamily[] {
    const ofRequests = { name: "palimpsest_requests_total", help: "Requests to an upstream that are over." };
    const ofAdded = {
      name: "palimpsest_added_seconds",
      help: "What the gateway added before a request went upstream.",
    };
    const ofLasted = {
      name: "palimpsest_request_seconds",
      help: "From the beginning of a request to the end of its reply.",
    };
    return [
      { ...ofRequests, type: "counter", samples: requests.samples() },
      ...sumFamilies(sums),
      counter("palimpsest_incidents_total", "Failures inside the gateway.", incidents.samples()),
      ...(storeState === undefined ? [] : storeFamilies(storeState())),
      ...(money === undefined ? [] : moneyFamilies(money)),
      { ...ofAdded, type: "histogram", samples: added.samples() },
      { ...ofLasted, type: "histogram", samples: lasted.samples() },
      gauge("palimpsest_uptime_seconds", "Since the gateway was started.", uptimeMs() / 1_000),
      gauge("process_resident_memory_bytes", "Resident memory of the process.", process.memoryUsage.rss()),
    ];
  }

  const stopListening = feed.listen(take);
  const text = async () => {
    const money = statements && (await within(STATEMENT_TIMEOUT_MS, statements.total));
    // The late result is not used, so its rejection is ignored.
    if (money?.type === "late") money.whenDone.catch(() => undefined);
    return writeMetrics(families(money?.type === "done" ? money.value : undefined));
  };
  return { text, close: stopListening };
}

function addRequest(sums: Sums, activity: RequestActivity): void {
  sums.tokensIn += activity.tokensIn;
  sums.tokensSent += activity.tokensSent;
  sums.folds += activity.foldIds.length;
  sums.retries += activity.retries;
  sums.costUsd += activity.costUsd ?? 0;
}

function storeFamilies({ isAvailable, unsavedRecords }: StoreState) {
  return [
    gauge(
      "palimpsest_store_up",
      "1 while the store answers, 0 while sessions are kept in memory.",
      isAvailable ? 1 : 0,
    ),
    gauge("palimpsest_unsaved_records", "Records that wait in memory for the store.", unsavedRecords),
  ];
}

function sumFamilies({ tokensIn, tokensSent, folds, retries, costUsd }: Sums) {
  return [
    counter(
      "palimpsest_prompt_tokens_total",
      "Tokens of prompts as agents sent them (in) and as they went upstream (sent).",
      [
        { labels: { direction: "in" }, value: tokensIn },
        { labels: { direction: "sent" }, value: tokensSent },
      ],
    ),
    counter("palimpsest_folds_total", "Folds that were made for requests.", [{ value: folds }]),
    counter("palimpsest_retries_total", "Times that a request was sent again, shorter.", [{ value: retries }]),
    counter("palimpsest_cost_usd_total", "Cost of requests, in USD, as far as prices are known.", [{ value: costUsd }]),
  ];
}

/** Returns the sums of the statements, as gauges, because savings may decrease. */
function moneyFamilies({ spentUsd, withoutFoldsUsd, withSummaryAt80Usd, optimumUsd, savedUsd }: StatementTotals) {
  const bills = [
    { labels: { bill: "spent" }, value: spentUsd },
    { labels: { bill: "without_folds" }, value: withoutFoldsUsd },
    { labels: { bill: "summary_at_80" }, value: withSummaryAt80Usd },
    { labels: { bill: "optimum" }, value: optimumUsd },
  ];
  const saved = [
    { labels: { against: "without_folds" }, value: savedUsd.againstNothing },
    { labels: { against: "summary_at_80" }, value: savedUsd.againstSummaryAt80 },
  ];
  const billHelp = "The sessions' requests since the start, in USD: what was spent, and what they would have cost.";
  const savedHelp = "What was not spent, in USD, net of the cache; negative where folding cost more.";
  return [
    { name: "palimpsest_statement_usd", type: "gauge", help: billHelp, samples: bills },
    { name: "palimpsest_saved_usd", type: "gauge", help: savedHelp, samples: saved },
  ] as const;
}

type Labels = Readonly<Record<string, string>>;

function createLabelledCounter(initial: readonly Labels[] = []) {
  const counts = new Map<string, { readonly labels: Labels; value: number }>(
    initial.map((labels) => [JSON.stringify(labels), { labels, value: 0 }]),
  );
  return {
    count: (labels: Labels) => {
      const key = JSON.stringify(labels);
      const counted = counts.get(key) ?? { labels, value: 0 };
      counted.value += 1;
      counts.set(key, counted);
    },
    samples: (): readonly Sample[] => [...counts.values()],
  };
}

function counter(name: string, help: string, samples: readonly Sample[]): MetricFamily {
  return { name, type: "counter", help, samples };
}

function gauge(name: string, help: string, value: number): MetricFamily {
  return { name, type: "gauge", help, samples: [{ value }] };
}

interface Histogram {
  observe(value: number): void;
  samples(): readonly Sample[];
}

/** Counts values by the buckets with these upper bounds, which increase. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = [...bounds, Number.POSITIVE_INFINITY].map((bound) => ({ bound, count: 0 }));
  let sum = 0;
  return {
    observe: (value) => {
      const bucket = counts.find(({ bound }) => value <= bound);
      if (bucket === undefined) return;
      bucket.count += 1;
      sum += value;
    },
    samples: () => {
      let total = 0;
      const buckets = counts.map(({ bound, count }) => {
        total += count;
        return { suffix: "_bucket", labels: { le: writeNumber(bound) }, value: total };
      });
      return [...buckets, { suffix: "_sum", value: sum }, { suffix: "_count", value: total }];
    },
  };
}
