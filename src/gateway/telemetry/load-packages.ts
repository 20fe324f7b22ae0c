import { PalimpsestError } from "../../core/errors.ts";
import { isPackageMissing } from "../../core/missing-package.ts";

/** The packages that have to be installed, with versions that work together. */
const VERSIONS = {
  "@opentelemetry/api": "1.9",
  "@opentelemetry/resources": "2",
  "@opentelemetry/sdk-trace-base": "2",
  "@opentelemetry/sdk-metrics": "2",
  "@opentelemetry/exporter-trace-otlp-http": "0.223",
  "@opentelemetry/exporter-metrics-otlp-http": "0.223",
} as const;

export interface Packages {
  readonly api: typeof import("@opentelemetry/api");
  readonly resources: typeof import("@opentelemetry/resources");
  readonly tracing: typeof import("@opentelemetry/sdk-trace-base");
  readonly metrics: typeof import("@opentelemetry/sdk-metrics");
  readonly traceExporter: typeof import("@opentelemetry/exporter-trace-otlp-http");
  readonly metricExporter: typeof import("@opentelemetry/exporter-metrics-otlp-http");
}

/** Loads the packages of OpenTelemetry. Rejects with "missing-package" where one is not installed. */
export async function loadPackages(): Promise<Packages> {
  try {
    return await importAll();
  } catch (error) {
    const name = Object.keys(VERSIONS).find((each) => isPackageMissing(each, error));
    throw name === undefined ? error : missing(name);
  }
}

async function importAll(): Promise<Packages> {
  const [api, resources, tracing, metrics, traceExporter, metricExporter] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/sdk-metrics"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/exporter-metrics-otlp-http"),
  ]);
  // Other packages may have installed version 1, which has another API for resources.
  if (typeof resources.resourceFromAttributes !== "function")
    throw missing("@opentelemetry/resources", "older than version 2");
  return { api, resources, tracing, metrics, traceExporter, metricExporter };
}

function missing(name: string, how = "not installed"): PalimpsestError {
  const wanted = Object.entries(VERSIONS).map(([each, version]) => `${each}@${version}`);
  return new PalimpsestError(
    "missing-package",
    `OpenTelemetry is configured, but ${name} is ${how}. Run: npm install ${wanted.join(" ")}`,
  );
}
