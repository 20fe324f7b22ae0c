import type { ActivityFeed } from "../activity.ts";
import { describeRequest, errorTypeOf, nameRequest } from "./describe-request.ts";
import { loadPackages, type Packages } from "./load-packages.ts";
import { complainOnce, quietExport } from "./quiet-export.ts";
import { type Environment, readSettings, type SignalSettings } from "./read-settings.ts";
import { SCOPE, type Signal, type SignalContext } from "./signal.ts";
import { startMetrics } from "./start-metrics.ts";

export interface TelemetryOptions {
  readonly feed: ActivityFeed;
  /** The standard variables of OpenTelemetry. Those that only the SDK needs (headers, certificates, …) it reads from the process itself. */
  readonly environment: Environment;
  /** The version of this package. */
  readonly version: string;
  /** Called with one line, once, when the collector cannot be reached. @default nothing is logged */
  readonly log?: ((line: string) => void) | undefined;
}

export interface RunningTelemetry {
  /** Sends everything that is not sent yet, for three seconds at most, and stops. Never rejects. */
  close(): Promise<void>;
}

const LONGEST_CLOSE_MS = 3_000;

/**
 * Sends a gateway's activities to an OpenTelemetry collector. Resolves with undefined, and loads nothing, unless the environment names a collector
 * (`OTEL_EXPORTER_OTLP_ENDPOINT`, or that of a signal) and `OTEL_SDK_DISABLED` is not `true`. Rejects with "missing-package", or with
 * "invalid-configuration" where an endpoint is no URL. Once started, a collector that fails or hangs neither fails nor delays any request.
 * @example
 * ```ts
 * import { startGateway, startTelemetry } from "palimpsest/gateway";
 * import { memoryStore } from "palimpsest/stores/memory";
 * const gateway = await startGateway({ store: memoryStore(), port: 0 });
 * console.log(await startTelemetry({ feed: gateway.activity, environment: {}, version: "1.0.0" })); // undefined
 * await gateway.close();
 * ```
 */
export async function startTelemetry(options: TelemetryOptions): Promise<RunningTelemetry | undefined> {
  const settings = readSettings(options.environment);
  if (settings === undefined) return undefined;
  const packages = await loadPackages();
  const context = {
    packages,
    resource: describeService(packages, options.version, settings.serviceName),
    version: options.version,
    complain: complainOnce(options.log),
  };
  const signals = [
    ...(settings.traces === undefined ? [] : [startTraces(settings.traces, context)]),
    ...(settings.metrics === undefined ? [] : [startMetrics(settings.metrics, context)]),
  ];
  const stopListening = options.feed.listen((activity) => {
    for (const signal of signals) signal.take(activity);
  });
  let closing: Promise<void> | undefined;
  return {
    close: () => {
      stopListening();
      closing ??= shutdownAll(signals);
      return closing;
    },
  };
}

/** The resource that describes the service: the user's variables take precedence over our own values. */
function describeService({ resources }: Packages, version: string, serviceName: string | undefined) {
  const { detectResources, envDetector, resourceFromAttributes } = resources;
  return resourceFromAttributes({ "service.name": "palimpsest", "service.version": version })
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes(serviceName === undefined ? {} : { "service.name": serviceName }));
}

async function shutdownAll(signals: readonly Signal[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LONGEST_CLOSE_MS);
  });
  await Promise.race([tooLate, Promise.allSettled(signals.map((signal) => signal.shutdown()))]);
  clearTimeout(timer);
}

/** Starts to send a span for each request. Nothing is registered globally: the process may have a tracing of its own. */
function startTraces({ url, timeoutMs }: SignalSettings, context: SignalContext): Signal {
  const { packages, resource, version, complain } = context;
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode } = packages.api;
  const { BasicTracerProvider, BatchSpanProcessor } = packages.tracing;
  const exporter = new packages.traceExporter.OTLPTraceExporter({ url, timeoutMillis: timeoutMs });
  const processor = new BatchSpanProcessor({
    export: quietExport(exporter, (error) => complain(url, error)),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  });
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer(SCOPE, version);
  return {
    take: (activity) => {
      if (activity.type !== "request") return;
      const attributes = describeRequest(activity);
      // Dates, as some versions of the SDK take a number from before the start of the process for an offset.
      const startTime = new Date(activity.startedAt);
      const span = tracer.startSpan(
        nameRequest(activity),
        { kind: SpanKind.CLIENT, startTime, attributes },
        ROOT_CONTEXT,
      );
      if (errorTypeOf(activity) !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(activity.at));
    },
    shutdown: () => provider.shutdown(),
  };
}
