import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { metrics, trace } from "@opentelemetry/api";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { createActivityFeed, type RequestActivity } from "../activity.ts";
import { startTelemetry } from "./start-telemetry.ts";

const REQUEST: RequestActivity = {
  type: "request",
  at: 1_760_000_002_500,
  startedAt: 1_760_000_000_000,
  api: "anthropic",
  operation: "generate",
  modelId: "claude-sonnet-4-5",
  sessionId: "harbour-light",
  status: 200,
  isStreaming: true,
  isComplete: true,
  tokensIn: 90_000,
  tokensSent: 40_000,
  foldIds: ["f1", "f2"],
  retries: 1,
  addedMs: 3.5,
  usage: { inputTokens: 100, cacheReadTokens: 30_000, cacheWriteTokens: 9_900, outputTokens: 700 },
  costUsd: 0.2,
};

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Takes what is exported, as a collector does. */
async function startCollector(answer: RequestListener = (_, response) => response.end("{}")) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url = "", headers } = request;
    received.push({ path: url, headers, text: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bodiesOf = (path: string) => received.filter((each) => each.path === path).map(({ text }) => JSON.parse(text));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    received,
    spans: () => bodiesOf("/v1/traces").flatMap(({ resourceSpans }) => resourceSpans[0].scopeSpans[0].spans),
    resource: () => plain(bodiesOf("/v1/traces")[0].resourceSpans[0].resource.attributes),
    metric: (name: string) =>
      bodiesOf("/v1/metrics")
        .at(-1)
        .resourceMetrics[0].scopeMetrics[0].metrics.find((each: { name: string }) => each.name === name),
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

interface WireAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function plain(attributes: readonly WireAttribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function start(environment: Readonly<Record<string, string>>) {
  const feed = createActivityFeed();
  const lines: string[] = [];
  const telemetry = await startTelemetry({ feed, environment, version: "1.2.3", log: (line) => lines.push(line) });
  onTestFinished(() => telemetry?.close());
  return { feed, lines, telemetry, close: async () => telemetry?.close() };
}

describe("where it is configured", () => {
  test("a request becomes a span by the conventions, with what we did to it", async () => {
    const collector = await startCollector();
    const { feed, close } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    feed.publish(REQUEST);
    await close();
    const [span] = collector.spans();
    expect(span).toMatchObject({
      name: "chat claude-sonnet-4-5",
      kind: 3,
      startTimeUnixNano: "1760000000000000000",
      endTimeUnixNano: "1760000002500000000",
      status: { code: 0 },
    });
    expect(span).not.toHaveProperty("parentSpanId");
    expect(plain(span.attributes)).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-sonnet-4-5",
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": "harbour-light",
      "http.response.status_code": 200,
      "gen_ai.usage.input_tokens": 40_000,
      "gen_ai.usage.output_tokens": 700,
      "gen_ai.usage.cache_read.input_tokens": 30_000,
      "gen_ai.usage.cache_creation.input_tokens": 9_900,
      "palimpsest.tokens_in": 90_000,
      "palimpsest.tokens_sent": 40_000,
      "palimpsest.folds": 2,
      "palimpsest.retries": 1,
      "palimpsest.added_ms": 3.5,
      "palimpsest.cost_usd": 0.2,
    });
    const types = collector.received.map(({ headers }) => headers["content-type"]);
    expect(types).toEqual(["application/json", "application/json"]);
  });

  test.each([
    ["a refusal", { status: 429 }, "429"],
    ["an upstream that never answered", { status: undefined, isComplete: false }, "no_response"],
    ["a reply that broke off", { isComplete: false }, "incomplete_reply"],
  ])("%s is a span that failed, and a duration of its own", async (_, change, errorType) => {
    const collector = await startCollector();
    const { feed, close } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    feed.publish({ ...REQUEST, ...change });
    await close();
    const [span] = collector.spans();
    expect(span.status).toEqual({ code: 2 });
    expect(plain(span.attributes)).toMatchObject({ "error.type": errorType });
    const [point] = collector.metric("gen_ai.client.operation.duration").histogram.dataPoints;
    expect(plain(point.attributes)).toMatchObject({ "error.type": errorType });
  });

  test("requests and incidents are counted and measured", async () => {
    const collector = await startCollector();
    const { feed, close } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    feed.publish(REQUEST);
    feed.publish({ ...REQUEST, tokensIn: 1_000, tokensSent: 1_100, foldIds: [] });
    feed.publish({ type: "incident", at: 1_760_000_003_000, what: "reconcile", error: "the user said: xyzzy" });
    await close();

    const duration = collector.metric("gen_ai.client.operation.duration");
    expect(duration).toMatchObject({ unit: "s", histogram: { dataPoints: [{ count: 2, sum: 5 }] } });
    const boundaries = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
    expect(duration.histogram.dataPoints[0].explicitBounds).toEqual(boundaries);
    const usage = collector.metric("gen_ai.client.token.usage").histogram.dataPoints;
    expect(
      usage.map(({ attributes, sum }: { attributes: WireAttribute[]; sum: number }) => [plain(attributes), sum]),
    ).toEqual([
      [expect.objectContaining({ "gen_ai.token.type": "input", "gen_ai.provider.name": "anthropic" }), 80_000],
      [expect.objectContaining({ "gen_ai.token.type": "output", "gen_ai.provider.name": "anthropic" }), 1_400],
    ]);
    expect(collector.metric("palimpsest.folds").sum).toMatchObject({
      isMonotonic: true,
      dataPoints: [{ asDouble: 2 }],
    });
    expect(collector.metric("palimpsest.tokens.saved").sum.dataPoints).toMatchObject([{ asDouble: 50_000 }]);
    const [incidents] = collector.metric("palimpsest.incidents").sum.dataPoints;
    expect(incidents.asDouble).toBe(1);
    expect(plain(incidents.attributes)).toEqual({ "palimpsest.incident.what": "reconcile" });
    expect(collector.received.map(({ text }) => text).join()).not.toContain("xyzzy");
  });

  test("metrics go out at the interval that was asked for", async () => {
    const collector = await startCollector();
    const { feed } = await start({
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.endpoint}/v1/metrics`,
      OTEL_METRIC_EXPORT_INTERVAL: "50",
    });
    feed.publish(REQUEST);
    await vi.waitFor(() => expect(collector.received.length).toBeGreaterThan(1), { timeout: 300_000 });
    expect(new Set(collector.received.map(({ path }) => path))).toEqual(new Set(["/v1/metrics"]));
  });

  test("the service is what the environment says, else palimpsest", async () => {
    vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=quay,service.name=from-attributes");
    onTestFinished(() => void vi.unstubAllEnvs());
    const serviceOf = async (environment: Readonly<Record<string, string>>) => {
      const collector = await startCollector();
      const { feed, close } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...environment });
      feed.publish(REQUEST);
      await close();
      return collector.resource();
    };
    expect(await serviceOf({ OTEL_SERVICE_NAME: "pilot" })).toEqual({
      "service.name": "pilot",
      "service.version": "1.2.3",
      "deployment.environment.name": "quay",
    });
    expect(await serviceOf({})).toMatchObject({ "service.name": "from-attributes" });
    vi.unstubAllEnvs();
    expect(await serviceOf({})).toEqual({ "service.name": "palimpsest", "service.version": "1.2.3" });
  });

  test("the collector gets the headers that the process's environment names for it", async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=quay");
    onTestFinished(() => void vi.unstubAllEnvs());
    const collector = await startCollector();
    const { feed, close } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    feed.publish(REQUEST);
    await close();
    expect(collector.received.map(({ headers }) => headers["x-tenant"])).toEqual(["quay", "quay"]);
  });

  test("the process's own tracing and metrics stay as they were", async () => {
    const collector = await startCollector();
    const meterProvider = metrics.getMeterProvider();
    await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    expect(trace.getTracer("of the application").startSpan("mine").isRecording()).toBe(false);
    expect(metrics.getMeterProvider()).toBe(meterProvider);
  });

  test("what happens after the close is not sent", async () => {
    const collector = await startCollector();
    const { feed, close } = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces` });
    feed.publish(REQUEST);
    await close();
    feed.publish(REQUEST);
    await close();
    expect(collector.spans()).toHaveLength(1);
  });
});

describe("where the collector fails", () => {
  test("one that is down costs one line, whatever is sent afterwards", async () => {
    const port = await freePort();
    const { feed, lines, close } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://someone:secret@127.0.0.1:${port}/key`,
      OTEL_EXPORTER_OTLP_TIMEOUT: "200",
      OTEL_METRIC_EXPORT_INTERVAL: "50",
    });
    feed.publish(REQUEST);
    await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 300_000 });
    feed.publish(REQUEST);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await close();
    expect(lines).toEqual([`Telemetry does not reach http://127.0.0.1:${port} (ECONNREFUSED). This is said once.`]);
  });

  test("one that refuses is named with its status, not with its answer", async () => {
    const collector = await startCollector((_, response) => {
      response.statusCode = 401;
      response.end("no such tenant");
    });
    const { feed, lines, close } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    feed.publish(REQUEST);
    await close();
    expect(lines).toEqual([`Telemetry does not reach ${collector.endpoint} (HTTP 401). This is said once.`]);
  });

  test("one that hangs holds back neither the requests nor, for long, the end", async () => {
    const collector = await startCollector(() => {});
    const { feed, close } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_TIMEOUT: "3600000",
    });
    for (let index = 0; index < 1_000; index++) feed.publish(REQUEST);
    const closed = performance.now();
    // Were the collector waited for, this would take an hour.
    await close();
    expect(performance.now() - closed).toBeGreaterThan(2_900);
    expect(collector.received.length).toBeGreaterThan(0);
  });
});
