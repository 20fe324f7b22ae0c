import { describeRequest, errorTypeOf, nameRequest } from "./describe-request.ts";
import { quietExport } from "./quiet-export.ts";
import type { SignalSettings } from "./read-settings.ts";
import { SCOPE, type Signal, type SignalContext } from "./signal.ts";

/** A span for each request. Nothing is registered globally: the process may have a tracing of its own. */
export function startTraces({ url, timeoutMs }: SignalSettings, context: SignalContext): Signal {
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
      // Some versions of the SDK take a plain number from before this process began for an offset.
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
