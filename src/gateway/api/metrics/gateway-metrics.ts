import type { Activity, ActivityFeed, RequestActivity } from "../../activity.ts";
import { createHistogram } from "./histogram.ts";
import { type MetricFamily, type Sample, writeMetrics } from "./metrics-text.ts";

/** Counts what happens, for Prometheus. */
export interface GatewayMetrics {
  text(): string;
  /** Counts no longer. */
  close(): void;
}

const ADDED_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const REQUEST_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export function countMetrics(feed: ActivityFeed, uptimeMs: () => number): GatewayMetrics {
  const requests = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();
  const sums = { tokensIn: 0, tokensSent: 0, folds: 0, retries: 0, incidents: 0, savedUsd: 0, costUsd: 0 };
  const added = createHistogram(ADDED_SECONDS);
  const lasted = createHistogram(REQUEST_SECONDS);

  function countRequest({ api, status, operation }: RequestActivity): void {
    const labels = { api, status: String(status ?? "none"), operation };
    const key = Object.values(labels).join(" ");
    const counter = requests.get(key) ?? { labels, value: 0 };
    counter.value += 1;
    requests.set(key, counter);
  }

  function take(activity: Activity): void {
    if (activity.type === "incident") sums.incidents += 1;
    if (activity.type !== "request") return;
    countRequest(activity);
    sums.tokensIn += activity.tokensIn;
    sums.tokensSent += activity.tokensSent;
    sums.folds += activity.foldIds.length;
    sums.retries += activity.retries;
    sums.costUsd += activity.costUsd ?? 0;
    // A counter that falls reads as a restart.
    sums.savedUsd += Math.max(0, activity.savedUsd ?? 0);
    added.observe(activity.addedMs / 1_000);
    lasted.observe((activity.at - activity.startedAt) / 1_000);
  }

  const stopListening = feed.listen(take);
  return {
    close: stopListening,
    text: () =>
      writeMetrics([
        counter("palimpsest_requests_total", "Requests to an upstream that are over.", [...requests.values()]),
        counter(
          "palimpsest_prompt_tokens_total",
          "Tokens of prompts as agents sent them (in) and as they went upstream (sent).",
          [
            { labels: { direction: "in" }, value: sums.tokensIn },
            { labels: { direction: "sent" }, value: sums.tokensSent },
          ],
        ),
        counter("palimpsest_folds_total", "Folds that were made for requests.", [{ value: sums.folds }]),
        counter("palimpsest_retries_total", "Refusals as too long that were answered with a shorter prompt.", [
          { value: sums.retries },
        ]),
        counter("palimpsest_incidents_total", "Failures inside the gateway that requests went on without.", [
          { value: sums.incidents },
        ]),
        counter("palimpsest_saved_usd_total", "Saved by requests that cost less than they would have, in USD.", [
          { value: sums.savedUsd },
        ]),
        counter("palimpsest_cost_usd_total", "Cost of requests whose prices are known, in USD.", [
          { value: sums.costUsd },
        ]),
        {
          name: "palimpsest_added_seconds",
          type: "histogram",
          help: "What the gateway added before a request went upstream.",
          samples: added.samples(),
        },
        {
          name: "palimpsest_request_seconds",
          type: "histogram",
          help: "From the beginning of a request to the end of its reply.",
          samples: lasted.samples(),
        },
        gauge("palimpsest_uptime_seconds", "Since the gateway was started.", uptimeMs() / 1_000),
        gauge("process_resident_memory_bytes", "Resident memory of the process.", process.memoryUsage.rss()),
      ]),
  };
}

function counter(name: string, help: string, samples: readonly Sample[]): MetricFamily {
  return { name, type: "counter", help, samples };
}

function gauge(name: string, help: string, value: number): MetricFamily {
  return { name, type: "gauge", help, samples: [{ value }] };
}
