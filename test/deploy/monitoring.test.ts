/** What the dashboard and the alert rules name is what a real gateway tells. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startGateway } from "../../src/gateway/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { startModelServer } from "../../src/testing/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { DEPLOY, deployText, deployYaml, describeWith } from "./deploy-files.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const RULES: readonly Rule[] = deployYaml("chart/files/alerts.yaml").groups.flatMap(
  ({ rules }: { readonly rules: readonly Rule[] }) => rules,
);
const DASHBOARD = JSON.parse(deployText("grafana/dashboards/palimpsest.json"));
const PANELS: readonly Panel[] = DASHBOARD.panels;
const EXPRESSIONS = [
  ...RULES.map(({ expr }) => expr),
  ...PANELS.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

/** Those that Prometheus adds to what it scrapes. */
const SCRAPE_LABELS = ["instance", "job"];

/** Each metric with the labels that it has. */
async function scrape(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const server = await startModelServer();
  const store = memoryStore();
  const gateway = await startGateway({ store, port: 0, upstreams: { anthropic: server.url } });
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  const body = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content: "Where is it?" }] };
  const headers = { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" };
  const reply = await fetch(`${gateway.url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
  await reply.text();
  const text = await (await fetch(`${gateway.url}/palimpsest/metrics`)).text();
  const found = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? /gm)) {
    const known = found.get(name) ?? new Set<string>();
    for (const [, label = ""] of labels.matchAll(/([a-z]+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

/** Names of metrics in an expression of PromQL: ours, and what Prometheus itself keeps. */
function metricsIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\b(palimpsest_[a-z_]+|process_[a-z_]+|up(?=[{\s]))/g)].map(([name]) => name);
}

describe("a gateway's metrics", () => {
  test("are all that the alerts and the dashboard name, labels too", async () => {
    const scraped = await scrape();
    expect(EXPRESSIONS.length).toBeGreaterThan(20);
    const unknown = EXPRESSIONS.flatMap(metricsIn).filter((name) => name !== "up" && !scraped.has(name));
    expect(unknown).toEqual([]);
    const labels = EXPRESSIONS.flatMap((expression) => {
      const known = new Set([
        ...SCRAPE_LABELS,
        ...metricsIn(expression).flatMap((name) => [...(scraped.get(name) ?? [])]),
      ]);
      const matched = [...expression.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => label);
      const grouped = [...expression.matchAll(/\bby \(([a-z_, ]+)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
      return [...matched, ...grouped].filter((label) => !known.has(label)).map((label) => `${label} in ${expression}`);
    });
    expect(labels).toEqual([]);
  });

  test("are each on the dashboard", async () => {
    const shown = new Set(PANELS.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr))));
    const families = [...(await scrape()).keys()].map((name) => name.replace(/_(sum|count)$/, "_bucket"));
    expect([...new Set(families)].filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe("the dashboard", () => {
  test("has panels that do not overlap, each with its own number", () => {
    expect(new Set(PANELS.map(({ id }) => id)).size).toBe(PANELS.length);
    const cells = PANELS.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(PANELS.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  test("asks the data source that is provisioned, in the folder that is mounted", () => {
    const [source] = deployYaml("grafana/provisioning/datasources/prometheus.yaml").datasources;
    expect(source).toMatchObject({ type: "prometheus", url: "http://prometheus:9090", isDefault: true });
    expect(DASHBOARD.templating.list[0]).toMatchObject({ name: "datasource", type: "datasource", query: "prometheus" });
    const [provider] = deployYaml("grafana/provisioning/dashboards/palimpsest.yaml").providers;
    const { volumes } = deployYaml("compose.yaml").services.grafana;
    expect(volumes).toContain(`./grafana/dashboards:${provider.options.path}:ro`);
  });
});

describe("the alerts", () => {
  test("say what is wrong and what it means, and the guide says what to do", () => {
    const guide = deployText("../docs/guides/operations.md");
    for (const { alert, annotations } of RULES) {
      expect([alert, Object.keys(annotations).toSorted()]).toEqual([alert, ["description", "summary"]]);
      expect(guide).toContain(`\`${alert}\``);
    }
  });
});

describeWith(["promtool", "--version"], "promtool", () => {
  test.each([
    ["check", "rules", "../chart/files/alerts.yaml"],
    ["check", "config", "--syntax-only", "prometheus.yml"],
    ["test", "rules", "alerts.test.yaml"],
  ])("%s %s %s", (...given) => {
    const { status, stdout, stderr } = spawnSync("promtool", given, {
      cwd: resolve(DEPLOY, "prometheus"),
      encoding: "utf8",
    });
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  });

  test("reads every expression of the dashboard", () => {
    const rules = PANELS.flatMap(({ targets }) => targets).map(({ expr }, index) => ({
      record: `panel:${index}`,
      // Grafana puts these in
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*"),
    }));
    const path = join(temporaryFolder(), "dashboard.yaml");
    writeFileSync(path, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", path], { encoding: "utf8" });
    expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  });
});
