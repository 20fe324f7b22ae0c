import type { RequestActivity } from "../activity.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import { errorTypeOf, identifyRequest, writtenTokens } from "./describe-request.ts";
import type { Packages } from "./load-packages.ts";
import { quietExport } from "./quiet-export.ts";
import type { MetricSettings } from "./read-settings.ts";
import { SCOPE, type Signal, type SignalContext } from "./signal.ts";

type Meter = ReturnType<InstanceType<Packages["metrics"]["MeterProvider"]>["getMeter"]>;
type Instruments = ReturnType<typeof createInstruments>;

/** The histogram buckets that OpenTelemetry's conventions recommend. */
const TOKEN_BOUNDARIES = Array.from({ length: 14 }, (_, power) => 4 ** power);
const SECOND_BOUNDARIES = Array.from({ length: 14 }, (_, power) => (10 * 2 ** power) / 1_000);

/** Starts the histograms and counters of requests and incidents. Nothing is registered globally. */
export function startMetrics({ url, timeoutMs, intervalMs }: MetricSettings, context: SignalContext): Signal {
  const { packages, resource, version, complain } = context;
  const { MeterProvider, PeriodicExportingMetricReader } = packages.metrics;
  const exporter = new packages.metricExporter.OTLPMetricExporter({ url, timeoutMillis: timeoutMs });
  const reader = new PeriodicExportingMetricReader({
    exportIntervalMillis: intervalMs,
    exporter: {
      export: quietExport(exporter, (error) => complain(url, error)),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
      selectAggregation: (type) => exporter.selectAggregation(type),
      selectAggregationTemporality: (type) => exporter.selectAggregationTemporality(type),
    },
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const instruments = createInstruments(provider.getMeter(SCOPE, version));
  return {
    take: (activity) => {
      if (activity.type === "request") measureRequest(instruments, activity);
      if (activity.type === "incident") instruments.incidents.add(1, { "palimpsest.incident.what": activity.what });
    },
    shutdown: () => provider.shutdown(),
  };
}

function createInstruments(meter: Meter) {
  return {
    usage: meter.createHistogram("gen_ai.client.token.usage", {
      unit: "{token}",
      description: "Tokens of the prompt and of the reply, as the provider reports them.",
      advice: { explicitBucketBoundaries: TOKEN_BOUNDARIES },
    }),
    duration: meter.createHistogram("gen_ai.client.operation.duration", {
      unit: "s",
      description: "From the request until its reply has ended.",
      advice: { explicitBucketBoundaries: SECOND_BOUNDARIES },
    }),
    folds: meter.createCounter("palimpsest.folds", {
      unit: "{fold}",
      description: "Folds that were made for requests.",
    }),
    saved: meter.createCounter("palimpsest.tokens.saved", {
      unit: "{token}",
      description: "Tokens of prompts that did not have to be sent.",
    }),
    incidents: meter.createCounter("palimpsest.incidents", {
      unit: "{incident}",
      description: "Failures of ours that requests went on without.",
    }),
  };
}

function measureRequest({ usage, duration, folds, saved }: Instruments, request: RequestActivity): void {
  const attributes = identifyRequest(request);
  const errorType = errorTypeOf(request);
  // Negative where the clock was set back meanwhile.
  const seconds = Math.max(0, request.at - request.startedAt) / 1_000;
  duration.record(seconds, { ...attributes, ...(errorType !== undefined && { "error.type": errorType }) });
  folds.add(request.foldIds.length, attributes);
  saved.add(Math.max(0, request.tokensIn - request.tokensSent), attributes);
  if (request.usage === undefined) return;
  const outputTokens = writtenTokens(request.usage);
  usage.record(promptTokensOf(request.usage), { ...attributes, "gen_ai.token.type": "input" });
  if (outputTokens !== undefined) usage.record(outputTokens, { ...attributes, "gen_ai.token.type": "output" });
}
