/** The image: what its file says, and its entry point run as its user on a root file system that cannot be written. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { startModelServer } from "../../src/testing/index.ts";
import { findPostgres, freshDatabase } from "../support/postgres-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { DEPLOY, deployText, deployYaml, describeWith, REPOSITORY } from "./deploy-files.ts";

const LINES = deployText("Dockerfile").replaceAll("\\\n", " ").split("\n");
const instruction = (name: string) =>
  LINES.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1).trim());
const listOf = (line = ""): readonly string[] => JSON.parse(line.slice(line.indexOf("[")));
const MANIFEST = JSON.parse(deployText("../package.json"));

/** As in the image, but for where the package lies. */
const ENTRY = listOf(instruction("ENTRYPOINT")[0]).map((each) =>
  each.replace("/app/node_modules/palimpsest", REPOSITORY),
);
const COMMAND = listOf(instruction("CMD")[0]);
const [USER = ""] = instruction("USER");

describe("the Dockerfile", () => {
  test("ends as a user that is not root, with a health check that needs no token", () => {
    expect(USER).toBe("1000:1000");
    expect(LINES.lastIndexOf(`USER ${USER}`)).toBeGreaterThan(LINES.findLastIndex((line) => line.startsWith("FROM ")));
    expect(instruction("HEALTHCHECK")[0]).toContain("http://127.0.0.1:7717/palimpsest/");
    expect(ENTRY[1]).toBe(resolve(REPOSITORY, MANIFEST.bin.palimpsest));
  });

  test("installs the driver that is tested, and runs the version of Node that is", () => {
    expect(instruction("ARG")).toContain(`PG_VERSION=${MANIFEST.devDependencies.pg}`);
    const [major] = MANIFEST.devDependencies.node.split(".");
    expect(instruction("ARG").filter((line) => line.includes("_IMAGE="))).toEqual([
      `BUILD_IMAGE=node:${major}-bookworm-slim`,
      `RUN_IMAGE=node:${major}-alpine`,
    ]);
  });
});

describe("the compose file", () => {
  const compose = deployYaml("compose.yaml");

  test("starts two gateways that share a store, with secrets from the environment alone", () => {
    expect(Object.keys(compose.services)).toEqual([
      "gateway-1",
      "gateway-2",
      "balancer",
      "postgres",
      "prometheus",
      "grafana",
    ]);
    for (const name of ["gateway-1", "gateway-2"]) {
      const gateway = compose.services[name];
      expect(gateway).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
      for (const value of [
        gateway.environment.PALIMPSEST_TOKEN,
        compose.services.postgres.environment.POSTGRES_PASSWORD,
      ]) {
        expect(value).toMatch(/^\$\{[A-Z_]+:\?.+\}$/);
      }
    }
  });

  test("mounts files that are there, and every gateway is balanced and scraped", () => {
    const mounted = Object.values(compose.services).flatMap((service) => Reflect.get(Object(service), "volumes") ?? []);
    const paths = mounted.map(String).filter((each) => each.startsWith("./"));
    expect(paths.filter((each) => !existsSync(resolve(DEPLOY, each.split(":")[0] ?? "")))).toEqual([]);
    const [
      {
        static_configs: [scraped],
      },
    ] = deployYaml("prometheus/prometheus.yml").scrape_configs;
    expect(scraped.targets).toEqual(["gateway-1:7717", "gateway-2:7717"]);
    const balanced = [...deployText("balancer/nginx.conf").matchAll(/^\s*server (\S+:\d+) /gm)].map(([, each]) => each);
    expect(balanced).toEqual(scraped.targets);
  });
});

describeWith(["nginx", "-v"], "the balancer's settings", () => {
  test("are read by nginx", () => {
    const path = join(temporaryFolder(), "nginx.conf");
    // names that only the network of the containers knows
    writeFileSync(path, deployText("balancer/nginx.conf").replaceAll(/gateway-\d:/g, "127.0.0.1:"));
    const { status, stderr } = spawnSync("nginx", ["-t", "-c", path], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, expect.stringContaining("test is successful")]);
  });
});

const isRoot = process.getuid?.() === 0;
const [uid = "", gid = ""] = USER.split(":");
/** Everything can be read, nothing written, by a user that owns nothing and that the system has no name for. */
const CONTAINED = [
  ...(isRoot ? ["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups"] : []),
  ...["bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-pid", "--die-with-parent"],
  ...["--ro-bind", "/dev/null", "/etc/passwd"],
] as const;
const [FIRST = "bwrap", ...REST] = CONTAINED;

function start(given: readonly string[], environment: Readonly<Record<string, string>>) {
  const [, ...entry] = ENTRY;
  const command = [...REST, "--", process.execPath, ...entry, ...given];
  const child = spawn(FIRST, command, { env: { PATH: process.env.PATH, PALIMPSEST_HOME: "/data", ...environment } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const stderr = text(child.stderr);
  return { child, stderr, ended: once(child, "exit") };
}

describeWith([FIRST, ...REST, "true"], "the entry point as that user on a read-only file system", () => {
  const TOKEN = "a-token-of-the-tests";

  async function serves(environment: Readonly<Record<string, string>>) {
    const server = await startModelServer();
    onTestFinished(() => server.close());
    const given = [...COMMAND, "--json", "--port", "0", "--upstream", server.url];
    const { child, stderr, ended } = start(given, { PALIMPSEST_TOKEN: TOKEN, ...environment });
    const [line] = await Promise.race([once(child.stdout, "data"), ended]);
    if (!(line instanceof Buffer)) throw new Error(await stderr);
    const { port } = new URL(JSON.parse(String(line)).url);
    const url = `http://127.0.0.1:${port}`;
    const headers = {
      "x-palimpsest-session": "contained",
      "x-palimpsest-token": TOKEN,
      "x-api-key": "k",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
    };
    const body = { model: "claude-sonnet-4-5", max_tokens: 9, messages: [{ role: "user", content: "Where is it?" }] };
    const asked = { method: "POST", headers, body: JSON.stringify(body) };
    expect((await fetch(`${url}/palimpsest/`)).status).toBe(200);
    expect((await fetch(`${url}/palimpsest/metrics`)).status).toBe(401);
    expect((await fetch(`${url}/v1/messages`, asked)).status).toBe(200);
    const listed = await (await fetch(`${url}/palimpsest/api/sessions`, { headers })).text();
    child.kill("SIGTERM");
    await ended;
    return { sessions: JSON.parse(listed).sessions.length, stderr: await stderr };
  }

  test("serves with PostgreSQL and writes no file", async ({ skip }) => {
    const found = await findPostgres();
    if (!("connectionString" in found)) return skip(found.reason);
    const { sessions, stderr } = await serves({ PALIMPSEST_STORE: await freshDatabase(found.connectionString) });
    expect(sessions).toBe(1);
    expect(stderr).not.toMatch(/incident|EROFS|kept in memory/);
  });

  test("without a store that can be written, serves all the same and says so", async () => {
    const { sessions, stderr } = await serves({});
    expect(sessions).toBe(1);
    expect(stderr).toContain("kept in memory alone");
  });

  test("without a token it does not listen to others", async () => {
    const { stderr, ended } = start(COMMAND, {});
    expect([(await ended)[0], await stderr]).toEqual([2, expect.stringContaining("Set a token")]);
  });
});
