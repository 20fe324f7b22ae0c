/** The Helm chart: its values, and what its templates become. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { DEPLOY, deployText, deployYaml, describeWith, documentsOf, REPOSITORY } from "./deploy-files.ts";

const CHART = resolve(DEPLOY, "chart");
const MANIFEST = JSON.parse(deployText("../package.json"));
const isValid = new Ajv().compile(JSON.parse(deployText("chart/values.schema.json")));

test("the values are what their schema says, and no others", () => {
  const values = deployYaml("chart/values.yaml");
  expect([isValid(values), isValid.errors]).toEqual([true, null]);
  expect(isValid({ ...values, replica: 3 })).toBe(false);
  expect(isValid({ ...values, token: "a secret in a file of values" })).toBe(false);
});

test("the chart is of the version that it starts", () => {
  expect(deployYaml("chart/Chart.yaml")).toMatchObject({ name: "palimpsest", appVersion: MANIFEST.version });
});

// Debian: golang-go, golang-github-masterminds-sprig-dev, golang-gopkg-yaml.v3-dev
const GO = { ...process.env, GO111MODULE: "off", GOPATH: "/usr/share/gocode", GOFLAGS: "" };
const SPRIG = "/usr/share/gocode/src/github.com/Masterminds/sprig";

describeWith(["sh", "-c", `go version && test -d ${SPRIG}`], "the chart's templates", () => {
  /** By kind; a chart has one of each. */
  function render(values: object) {
    const program = resolve(REPOSITORY, "test/deploy/render-chart.go");
    const given = ["run", program, CHART, JSON.stringify(values)];
    const { status, stdout, stderr } = spawnSync("go", given, { encoding: "utf8", env: GO });
    expect([status, stderr]).toEqual([0, ""]);
    return Object.fromEntries(documentsOf(stdout).map((document) => [document.kind, document]));
  }

  test("make gateways that are not root, write nothing, know their secrets by name and are never asked about the store", () => {
    const objects = render({});
    expect(Object.keys(objects).toSorted()).toEqual(["Deployment", "PodDisruptionBudget", "Service"]);
    const { replicas, template, selector, strategy } = objects.Deployment.spec;
    expect([replicas, strategy.rollingUpdate]).toEqual([2, { maxUnavailable: 0, maxSurge: 1 }]);
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(objects.Service.spec.selector).toEqual(selector.matchLabels);
    expect(objects.PodDisruptionBudget.spec.selector.matchLabels).toEqual(selector.matchLabels);
    const pod = template.spec;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const [gateway] = pod.containers;
    expect(gateway.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(gateway.image).toBe(`palimpsest:${MANIFEST.version}`);
    for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
      expect(gateway[probe].httpGet).toEqual({ path: "/palimpsest/", port: "http" });
    }
    const secrets = gateway.env.filter(({ valueFrom }: { readonly valueFrom?: object }) => valueFrom !== undefined);
    expect(secrets.map(({ name }: { readonly name: string }) => name)).toEqual([
      "PALIMPSEST_TOKEN",
      "PALIMPSEST_STORE",
    ]);
    expect(gateway.resources).toMatchObject({ requests: { cpu: "250m" }, limits: { memory: "1Gi" } });
    const drainSeconds = Number(/^--drain=(\d+)s$/m.exec(gateway.args.join("\n"))?.[1]);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 5);
  });

  test("take settings, scale by themselves and tell the Prometheus operator, where that is asked for", () => {
    const config = { upstreams: { anthropic: "https://proxy.example" }, retention: { keep: "90d" } };
    const metrics = { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true, labels: { release: "p" } } };
    const objects = render({ config, autoscaling: { enabled: true }, metrics, extraEnv: [{ name: "A", value: "b" }] });
    expect(JSON.parse(objects.ConfigMap.data["config.json"])).toEqual(config);
    const { replicas, template } = objects.Deployment.spec;
    expect(replicas).toBeUndefined();
    const [gateway] = template.spec.containers;
    expect(gateway.args).toContain("--config=/etc/palimpsest/config.json");
    expect(gateway.volumeMounts).toEqual([{ name: "config", mountPath: "/etc/palimpsest", readOnly: true }]);
    expect(template.spec.volumes).toEqual([{ name: "config", configMap: { name: objects.ConfigMap.metadata.name } }]);
    expect(gateway.env.at(-1)).toEqual({ name: "A", value: "b" });
    expect(objects.HorizontalPodAutoscaler.spec.scaleTargetRef.name).toBe(objects.Deployment.metadata.name);
    expect(objects.ServiceMonitor.spec.endpoints[0]).toMatchObject({ port: "http", path: "/palimpsest/metrics" });
    expect(objects.PrometheusRule.spec).toEqual(deployYaml("chart/files/alerts.yaml"));
    expect(objects.PrometheusRule.metadata.labels.release).toBe("p");
  });
});
