import { describe, expect, test } from "vitest";
import { requestActivity, startApi } from "../../../../test/support/gateway-api.ts";
import { createModelRegistry } from "../../../core/models/registry.ts";
import { createEngine } from "../../../engine/create-engine.ts";
import { memoryStore } from "../../../stores/memory/index.ts";
import { createActivityFeed } from "../../activity.ts";
import { keepStatements } from "../../statements.ts";
import { countMetrics, createHistogram } from "./gateway-metrics.ts";
import { writeMetrics } from "./metrics-text.ts";

interface ParsedFamily {
  readonly type: string;
  readonly help: string;
  /** By name and labels, as written. */
  readonly samples: Map<string, number>;
}

/** Reads the text format 0.0.4, and throws at the first thing that it does not allow. */
function parse(text: string): Map<string, ParsedFamily> {
  const families = new Map<string, ParsedFamily>();
  expect(text.endsWith("\n")).toBe(true);
  const lines = text.slice(0, -1).split("\n");
  let current = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [, helped, help = ""] = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/.exec(line) ?? [];
    if (helped !== undefined) {
      const [, typed, type = ""] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(lines[++at] ?? "") ?? [];
      expect(typed).toBe(helped);
      expect(families.has(helped)).toBe(false);
      expect(help.replaceAll(/\\[\\n]/g, "")).not.toContain("\\");
      families.set(helped, { type, help, samples: new Map() });
      current = helped;
      continue;
    }
    const [whole, name = "", labels = "", value = ""] =
      /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (\+Inf|-Inf|NaN|[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)$/.exec(
        line,
      ) ?? [];
    expect(whole, `line ${at + 1}: ${line}`).toBeDefined();
    const family = families.get(current);
    const suffixes = family?.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    expect(suffixes.map((suffix) => current + suffix)).toContain(name);
    expect(family?.samples.has(name + labels)).toBe(false);
    family?.samples.set(name + labels, value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value));
  }
  return families;
}

test("counts what the feed tells", async () => {
  const feed = createActivityFeed();
  const store = memoryStore();
  const session = await createEngine({ model: "claude-sonnet-4-5", store }).session("a");
  await session.recordRequest({ usage: { inputTokens: 1_000_000 } });
  const registry = createModelRegistry();
  const statements = keepStatements({ store, feed, registry, leftTokens: () => 16_000, since: 0 });
  const storeState = () => ({ isAvailable: false, unsavedRecords: 3 });
  const metrics = countMetrics(feed, { uptimeMs: () => 90_500, statements, storeState });
  feed.publish(requestActivity({ foldIds: ["f1", "f2"], retries: 1 }));
  feed.publish(requestActivity({ addedMs: 600, at: 61_000 }));
  feed.publish(requestActivity({ api: "gemini", operation: "count-tokens", status: undefined, costUsd: undefined }));
  feed.publish({ type: "incident", at: 0, what: "turn", error: "TypeError" });
  for (const records of [12, 13]) {
    const what = `store: ${records} records of 2 sessions were not written`;
    feed.publish({ type: "incident", at: 0, what, error: "RecordsUnsaved" });
  }
  feed.publish({ type: "session", at: 0, sessionId: "a", change: "folded" });
  const families = parse(await metrics.text());
  const samples = (name: string) => Object.fromEntries(families.get(name)?.samples ?? []);
  expect(samples("palimpsest_requests_total")).toEqual({
    'palimpsest_requests_total{api="anthropic",status="200",operation="generate"}': 2,
    'palimpsest_requests_total{api="gemini",status="none",operation="count-tokens"}': 1,
  });
  expect(samples("palimpsest_prompt_tokens_total")).toEqual({
    'palimpsest_prompt_tokens_total{direction="in"}': 3_000,
    'palimpsest_prompt_tokens_total{direction="sent"}': 1_200,
  });
  expect(samples("palimpsest_folds_total")).toEqual({ palimpsest_folds_total: 2 });
  expect(samples("palimpsest_retries_total")).toEqual({ palimpsest_retries_total: 1 });
  expect(samples("palimpsest_incidents_total")).toMatchObject({
    'palimpsest_incidents_total{what="fold"}': 0,
    'palimpsest_incidents_total{what="turn"}': 1,
    'palimpsest_incidents_total{what="store"}': 2,
  });
  expect(samples("palimpsest_store_up")).toEqual({ palimpsest_store_up: 0 });
  expect(samples("palimpsest_unsaved_records")).toEqual({ palimpsest_unsaved_records: 3 });
  expect(samples("palimpsest_statement_usd")).toMatchObject({
    'palimpsest_statement_usd{bill="spent"}': 3,
    'palimpsest_statement_usd{bill="without_folds"}': 3,
    'palimpsest_statement_usd{bill="summary_at_80"}': expect.any(Number),
    'palimpsest_statement_usd{bill="optimum"}': expect.any(Number),
  });
  expect(samples("palimpsest_saved_usd")).toMatchObject({
    'palimpsest_saved_usd{against="without_folds"}': 0,
    'palimpsest_saved_usd{against="summary_at_80"}': expect.any(Number),
  });
  expect(samples("palimpsest_cost_usd_total").palimpsest_cost_usd_total).toBeCloseTo(0.02);
  expect(samples("palimpsest_uptime_seconds")).toEqual({ palimpsest_uptime_seconds: 90.5 });
  expect(samples("process_resident_memory_bytes").process_resident_memory_bytes).toBeGreaterThan(1_000_000);
  expect(samples("palimpsest_added_seconds")).toMatchObject({
    'palimpsest_added_seconds_bucket{le="0.001"}': 0,
    'palimpsest_added_seconds_bucket{le="0.0025"}': 2,
    'palimpsest_added_seconds_bucket{le="1"}': 3,
    'palimpsest_added_seconds_bucket{le="+Inf"}': 3,
    palimpsest_added_seconds_count: 3,
  });
  expect(samples("palimpsest_request_seconds").palimpsest_request_seconds_sum).toBe(62);
  metrics.close();
  feed.publish(requestActivity());
  expect(await metrics.text()).toContain('status="200",operation="generate"} 2\n');
});

test("is served as Prometheus asks for it", async () => {
  const { ask, close } = await startApi();
  const { headers, body } = await ask("/metrics");
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect([...parse(body).keys()]).toHaveLength(12);
  await close();
});

describe("the text", () => {
  test("escapes help and labels", () => {
    const text = writeMetrics([
      {
        name: "a_total",
        type: "counter",
        help: 'back\\slash\nand "quote"',
        samples: [{ labels: { x: 'q"\\\n' }, value: 1 }],
      },
    ]);
    expect(text).toBe(
      '# HELP a_total back\\\\slash\\nand "quote"\n# TYPE a_total counter\na_total{x="q\\"\\\\\\n"} 1\n',
    );
    parse(text);
  });

  test("writes numbers as Prometheus reads them", () => {
    const values = [0, 1e21, 1e-7, 0.1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
    const samples = values.map((value, index) => ({ labels: { index: `${index}` }, value }));
    const parsed = parse(writeMetrics([{ name: "a", type: "gauge", help: "h", samples }])).get("a");
    expect([...(parsed?.samples.values() ?? [])].slice(0, 5)).toEqual(values.slice(0, 5));
  });

  test("counts values on a bound into its bucket", () => {
    const histogram = createHistogram([1, 2]);
    for (const value of [1, 1.5, 2, 3, Number.NaN]) histogram.observe(value);
    expect(histogram.samples().map(({ value }) => value)).toEqual([1, 3, 4, 7.5, 4]);
  });
});
