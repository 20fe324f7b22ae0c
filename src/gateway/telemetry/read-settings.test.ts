import { expect, test } from "vitest";
import { readSettings } from "./read-settings.ts";

const ENDPOINT = "http://127.0.0.1:4318";

test.each([
  ["no endpoint is set", {}],
  ["the endpoint is empty", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
  ["the SDK is disabled", { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: "TRUE" }],
  [
    "no signal is wanted",
    { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" },
  ],
])("nothing is configured where %s", (_, environment) => {
  expect(readSettings(environment)).toBeUndefined();
});

test.each([ENDPOINT, `${ENDPOINT}/`, `${ENDPOINT}/otlp`])("%s is the base of both signals", (endpoint) => {
  const base = endpoint.replace(/\/$/, "");
  expect(readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({
    traces: { url: `${base}/v1/traces`, timeoutMs: 3_000 },
    metrics: { url: `${base}/v1/metrics`, timeoutMs: 3_000, intervalMs: 60_000 },
    serviceName: undefined,
  });
});

test("the endpoint and the timeout of one signal go before those of both, as they stand", () => {
  expect(
    readSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/ingest",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "500",
      OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
    }),
  ).toMatchObject({
    traces: { url: "https://traces.example/ingest", timeoutMs: 500 },
    metrics: { url: `${ENDPOINT}/v1/metrics`, timeoutMs: 2_000 },
  });
});

test("a signal without an endpoint is not sent", () => {
  expect(readSettings({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ENDPOINT })).toMatchObject({
    traces: undefined,
    metrics: { url: ENDPOINT },
  });
});

test.each([
  ["250", 250],
  ["often", 60_000],
  ["0", 60_000],
  ["-1", 60_000],
  ["99999999999", 2 ** 31 - 1],
])("an interval of %s means %d ms", (value, intervalMs) => {
  const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: value });
  expect(settings?.metrics?.intervalMs).toBe(intervalMs);
});

test.each(["localhost:4318", "collector", "grpc://someone:secret@collector"])(
  "refuses %s without repeating it",
  (url) => {
    expect(() => readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).toThrow(
      expect.objectContaining({
        code: "invalid-configuration",
        message:
          "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL that begins with http:// or https://. " +
          "Set it to one, such as http://127.0.0.1:4318, or unset it.",
      }),
    );
  },
);
