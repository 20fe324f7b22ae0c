import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { closeAll, startUpstream } from "../../../test/support/loopback.ts";
import { startPalimpsest } from "../../../test/support/palimpsest-process.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { up } from "./up.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  await server.close();
  await closeAll();
});

const HELLO = {
  model: "claude-sonnet-4-5",
  max_tokens: 100,
  messages: [{ role: "user", content: "Where is the light?" }],
};

function ask(url: string, body: object = HELLO, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01", ...headers },
    body: JSON.stringify(body),
  });
}

function urlOf(listening: Server): string {
  const address = listening.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

function start(...given: readonly string[]) {
  return startPalimpsest(["up", "--port", "0", "--store", "memory", "--upstream", server.url, ...given]);
}

describe("a gateway", () => {
  test("says where it is and what to set, serves, and ends with its totals when it is told to", async () => {
    const gateway = start();
    const shown = await gateway.shows(/docs\/guides\/agents\.md/);
    const [, url = ""] = /^Palimpsest listens at (http:\/\/127\.0\.0\.1:\d+)$/m.exec(shown) ?? [];
    expect(shown).toMatch(/^ {2}sessions {3}memory$/m);
    expect(shown).toContain(`API        ${url}/palimpsest/api`);
    expect(shown).toContain(`metrics    ${url}/palimpsest/metrics`);
    expect(shown).toContain(`anthropic  ${server.url}`);
    expect(shown).toContain(`Claude Code  ANTHROPIC_BASE_URL=${url}`);
    const response = await ask(url);
    expect(response.status).toBe(200);
    await response.text();
    expect(server.requests).toHaveLength(1);
    expect((await fetch(`${url}/palimpsest/metrics`)).status).toBe(200);
    gateway.kill("SIGTERM");
    const { code, stderr } = await gateway.ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^palimpsest: 1 request · \d+ tokens seen, \d+ sent · 0 folds\n$/);
  });

  test("with --json says it in one line", async () => {
    const gateway = start("--json");
    const shown = await gateway.shows(/\n/);
    const facts = JSON.parse(shown);
    expect(facts).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      dashboard: `${facts.url}/palimpsest/`,
      api: `${facts.url}/palimpsest/api`,
      metrics: `${facts.url}/palimpsest/metrics`,
      store: "memory",
      upstreams: { anthropic: server.url, openai: server.url, gemini: server.url },
      pid: expect.any(Number),
      needsToken: false,
    });
    gateway.kill("SIGINT");
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("no request came") });
  });

  test("asks for its token, and shows it nowhere", async () => {
    const token = "a-token-of-the-test";
    const gateway = start("--token", token);
    const shown = await gateway.shows(/docs\/guides\/agents\.md/);
    const [, url = ""] = /listens at (\S+)$/m.exec(shown) ?? [];
    expect(shown).toContain(`ANTHROPIC_BASE_URL=${url}/palimpsest-token/$PALIMPSEST_TOKEN`);
    expect((await ask(url)).status).toBe(401);
    expect((await ask(url, HELLO, { "x-palimpsest-token": token })).status).toBe(200);
    expect((await ask(`${url}/palimpsest-token/${token}`)).status).toBe(200);
    expect(server.requests[0]?.headers).not.toHaveProperty("x-palimpsest-token");
    gateway.kill("SIGTERM");
    const { stdout, stderr } = await gateway.ended;
    expect(`${stdout}${stderr}`).not.toContain(token);
  });

  test.each([
    ["", 700],
    // longer than a reply gets unless told otherwise
    ["--drain 1h", 5_500],
  ])("%s lets a reply that is under way come to its end", async (drain, replyMs) => {
    const slow = createHttpServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: one\n\n");
      setTimeout(() => response.end("data: two\n\n"), replyMs);
    }).listen(0, "127.0.0.1");
    await once(slow, "listening");
    const given = ["up", "--json", "--port", "0", "--store", "memory", "--upstream", urlOf(slow)];
    const gateway = startPalimpsest([...given, ...drain.split(" ").filter(Boolean)]);
    const { url } = JSON.parse(await gateway.shows(/\n/));
    const response = await fetch(`${url}/v1/anything`);
    gateway.kill("SIGTERM");
    expect(await response.text()).toBe("data: one\n\ndata: two\n\n");
    expect(await gateway.ended).toMatchObject({ code: 0 });
    slow.close();
  });

  test("does not wait for ever for a stream that is open", async () => {
    server.script({ type: "hang-mid-stream", text: "The light is" });
    const gateway = start("--json");
    const { url } = JSON.parse(await gateway.shows(/\n/));
    const response = await ask(url, { ...HELLO, stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    gateway.kill("SIGTERM");
    await reader?.closed.catch(() => {});
    const { code, stderr } = await gateway.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("1 request");
  });

  test("sends what happened to the collector that the environment names, before it has ended", async () => {
    const collector = await startUpstream((response) => response.end("{}"));
    const given = ["up", "--json", "--port", "0", "--store", "memory", "--upstream", server.url];
    const gateway = startPalimpsest(given, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const { url } = JSON.parse(await gateway.shows(/\n/));
    await (await ask(url)).text();
    gateway.kill("SIGTERM");
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^palimpsest: 1 request/) });
    const sent = collector.requests.filter(({ target }) => target === "/v1/traces").map(({ body }) => `${body}`);
    expect(sent).toHaveLength(1);
    const [{ resource, scopeSpans }] = JSON.parse(sent[0] ?? "").resourceSpans;
    expect(JSON.stringify(resource)).toContain('"service.version"');
    expect(scopeSpans[0].spans).toMatchObject([{ name: "chat claude-sonnet-4-5" }]);
  });

  test("asks its upstreams through the proxy that the environment names", async () => {
    const proxy = await startUpstream((response) => response.end("{}"));
    const given = ["up", "--json", "--port", "0", "--store", "memory", "--upstream", "http://llm.corp:8000"];
    const gateway = startPalimpsest(given, { http_proxy: proxy.url, no_proxy: "127.0.0.1" });
    const { url } = JSON.parse(await gateway.shows(/\n/));
    expect((await ask(url)).status).toBe(200);
    expect(proxy.requests).toMatchObject([{ target: "http://llm.corp:8000/v1/messages" }]);
    gateway.kill("SIGTERM");
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });

  test("goes on without telemetry where the environment asks for what cannot be had, and says so", async () => {
    const given = ["up", "--json", "--port", "0", "--store", "memory", "--upstream", server.url];
    const gateway = startPalimpsest(given, { OTEL_EXPORTER_OTLP_ENDPOINT: "collector.corp:4317" });
    const { url } = JSON.parse(await gateway.shows(/\n/));
    expect((await ask(url)).status).toBe(200);
    gateway.kill("SIGTERM");
    const { code, stderr } = await gateway.ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^palimpsest: no telemetry is sent: OTEL_EXPORTER_OTLP_ENDPOINT is not a URL/);
  });

  test("that finds its port in use says what to do", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = new URL(urlOf(other));
    const { code, stderr, stdout } = await startPalimpsest(["up", "--store", "memory", "--port", port]).ended;
    other.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^palimpsest: up: .*EADDRINUSE.* pass --port N/);
  });
});

describe("a command line that makes no sense", () => {
  test.each([
    [["--port", "http"], '--port is "http"; it must be a number from 0 to 65535'],
    [["--port", "65536"], "from 0 to 65535"],
    [["--upstream", "ftp://x"], "it must be an http or https URL"],
    [["--openai-upstream", "https://me:pass@x"], "with a user name or a password"],
    [["--drain", "soon"], '--drain is "soon"; it must be a time of at most a day'],
    [["--drain", "2d"], "a time of at most a day"],
    [["--window", "big"], '--window is "big"'],
    [["--threshold", "3"], "from 5 to 100"],
    [["--host", "0.0.0.0"], "A token is given by --token, or by $PALIMPSEST_TOKEN"],
    [["--host", "0.0.0.0", "--token", "short"], "at least 16"],
    [["--upstrem", "http://x"], "Did you mean --upstream?"],
    [["--condense-with", "openai-compatible/qwen3"], "needs --openai-upstream"],
  ])("%j is refused with what would", async (given, why) => {
    const output = { write: () => true };
    await expect(up([...given, "--store", "memory"], { output, notes: output })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(why),
    });
  });

  test("help says all it takes", async () => {
    let shown = "";
    const output = {
      write: (text: string) => {
        shown += text;
      },
    };
    expect(await up(["--help"], { output })).toBe(0);
    for (const option of ["--port", "--token", "--gemini-upstream", "--condense-with", "--config", "--json"]) {
      expect(shown).toContain(option);
    }
  });
});

describe("a data folder that cannot be written", () => {
  /** Where a folder should be is a file: not even root can write below it. */
  const blocked = () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    return join(file, "data");
  };

  test("is told, and the sessions are kept in memory", async () => {
    const environment = { PALIMPSEST_HOME: blocked(), PALIMPSEST_STORE: undefined };
    const gateway = startPalimpsest(["up", "--port", "0", "--upstream", server.url], environment);
    const shown = await gateway.shows(/docs\/guides\/agents\.md/);
    expect(shown).toMatch(/^ {2}sessions {3}memory$/m);
    const [, url = ""] = /^Palimpsest listens at (\S+)$/m.exec(shown) ?? [];
    expect((await ask(url)).status).toBe(200);
    gateway.kill("SIGTERM");
    const { code, stderr } = await gateway.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("palimpsest: the sessions of this gateway are kept in memory alone");
    expect(stderr).not.toContain("incident");
  });

  test("is refused where the person named it", async () => {
    const path = join(blocked(), "sessions.db");
    const { code, stdout, stderr } = await startPalimpsest(["up", "--port", "0", "--store", path]).ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(path);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
