import { PalimpsestError } from "../../core/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings in the standard variables of OpenTelemetry. */
export interface TelemetrySettings {
  /** Undefined where no traces are to be sent. */
  readonly traces: SignalSettings | undefined;
  /** Undefined where no metrics are to be sent. */
  readonly metrics: MetricSettings | undefined;
  readonly serviceName: string | undefined;
}

export interface SignalSettings {
  readonly url: string;
  /** How long one export may take, its retries included. */
  readonly timeoutMs: number;
}

export interface MetricSettings extends SignalSettings {
  readonly intervalMs: number;
}

/** Shorter than the exporters' own ten seconds, which would delay the end of the process if the collector hangs. */
const DEFAULT_TIMEOUT_MS = 3_000;
const DEFAULT_INTERVAL_MS = 60_000;
/** Node's timers fire at once if they are longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Reads the settings; undefined where telemetry is not configured. Throws "invalid-configuration" where an endpoint is no URL. */
export function readSettings(environment: Environment): TelemetrySettings | undefined {
  if (readVariable(environment, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const traces = signalOf(environment, "TRACES");
  const metrics = signalOf(environment, "METRICS");
  if (traces === undefined && metrics === undefined) return undefined;
  const intervalMs = durationOf(environment, "OTEL_METRIC_EXPORT_INTERVAL") ?? DEFAULT_INTERVAL_MS;
  return {
    traces,
    metrics: metrics && { ...metrics, intervalMs },
    serviceName: readVariable(environment, "OTEL_SERVICE_NAME"),
  };
}

function signalOf(environment: Environment, signal: "TRACES" | "METRICS"): SignalSettings | undefined {
  if (readVariable(environment, `OTEL_${signal}_EXPORTER`)?.toLowerCase() === "none") return undefined;
  const url = urlOf(environment, signal);
  if (url === undefined) return undefined;
  const timeoutMs =
    durationOf(environment, `OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`) ??
    durationOf(environment, "OTEL_EXPORTER_OTLP_TIMEOUT") ??
    DEFAULT_TIMEOUT_MS;
  return { url, timeoutMs };
}

/** The URL of a signal: its own endpoint unchanged, or a path below the endpoint of all signals. */
function urlOf(environment: Environment, signal: "TRACES" | "METRICS"): string | undefined {
  const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const ownUrl = readVariable(environment, own);
  if (ownUrl !== undefined) return assertUrl(own, ownUrl);
  const base = readVariable(environment, "OTEL_EXPORTER_OTLP_ENDPOINT");
  if (base === undefined) return undefined;
  return assertUrl("OTEL_EXPORTER_OTLP_ENDPOINT", `${base.replace(/(?<!\/)\/+$/, "")}/v1/${signal.toLowerCase()}`);
}

function assertUrl(variable: string, url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  // the value is not repeated: it may hold a password
  throw new PalimpsestError(
    "invalid-configuration",
    `${variable} is not a URL that begins with http:// or https://. Set it to one, such as http://127.0.0.1:4318, or unset it.`,
  );
}

/** A duration in milliseconds. By OpenTelemetry's specification a value that is no number counts as not set. */
function durationOf(environment: Environment, variable: string): number | undefined {
  const milliseconds = Number(readVariable(environment, variable));
  return milliseconds > 0 ? Math.min(milliseconds, LONGEST_TIMER_MS) : undefined;
}

/** The value of a variable. By OpenTelemetry's specification an empty one counts as not set. */
function readVariable(environment: Environment, variable: string): string | undefined {
  return environment[variable]?.trim() || undefined;
}
