import { PalimpsestError } from "../../core/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the standard variables of OpenTelemetry ask for. */
export interface TelemetrySettings {
  /** Undefined where nobody wants them. */
  readonly traces: SignalSettings | undefined;
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

/** The exporters' own ten seconds would hold back the end of a process whose collector hangs. */
const DEFAULT_TIMEOUT_MS = 3_000;
const DEFAULT_INTERVAL_MS = 60_000;
/** Beyond it, Node's timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Undefined where telemetry is not configured; "invalid-configuration" where an endpoint is no URL. */
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

/** An endpoint of one signal is taken as it stands; the one of all signals is a base. */
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

/** The specification: a number that cannot be read counts as not set. */
function durationOf(environment: Environment, variable: string): number | undefined {
  const milliseconds = Number(readVariable(environment, variable));
  return milliseconds > 0 ? Math.min(milliseconds, LONGEST_TIMER_MS) : undefined;
}

/** The specification: empty counts as not set. */
function readVariable(environment: Environment, variable: string): string | undefined {
  return environment[variable]?.trim() || undefined;
}
