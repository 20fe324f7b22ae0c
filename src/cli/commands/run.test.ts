import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sized } from "../../../test/chaos/chaos-size.ts";
import { startInTerminal, startPalimpsest } from "../../../test/support/palimpsest-process.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { run } from "./run.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

/** A program of this name that runs this script, and a PATH that finds it. */
function program(name: string, script: string): { readonly PATH: string } {
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, `#!/usr/bin/env node\n${script}`);
  chmodSync(path, 0o755);
  return { PATH: `${folder}:${process.env.PATH}` };
}

const ASK = `
const ask = (base, messages) => fetch(base + "/v1/messages", {
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY, "anthropic-version": "2023-06-01",
    "x-claude-code-session-id": "11111111-2222-3333-4444-555555555555" },
  body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages,
    tools: [{ name: "read_file", input_schema: { type: "object" } }] }),
}).then(async (response) => ({ status: response.status, body: await response.text() }));
`;

const SHOW_ENVIRONMENT = "console.log(JSON.stringify({ given: process.argv.slice(2), environment: process.env }));";

function start(given: readonly string[], environment: Readonly<Record<string, string | undefined>> = {}) {
  return startPalimpsest(["run", "--store", "memory", ...given], environment).ended;
}

describe("an agent", () => {
  test("is pointed at a gateway that asks its provider, and what came of it is told in one line", async () => {
    const environment = {
      ...program(
        "claude",
        `${ASK} console.log(await ask(process.env.ANTHROPIC_BASE_URL, [{ role: "user", content: "Hello" }]));`,
      ),
      ANTHROPIC_API_KEY: "sk-of-the-test",
      ANTHROPIC_BASE_URL: undefined,
    };
    const { code, stdout, stderr } = await start(["--upstream", server.url, "--", "claude"], environment);
    expect(stdout).toContain("status: 200");
    expect(code).toBe(0);
    expect(server.requests).toMatchObject([{ wire: "anthropic", outcome: "answered" }]);
    expect(server.requests[0]?.headers["x-api-key"]).toBe("sk-of-the-test");
    expect(stderr).toMatch(
      /^palimpsest: dashboard at \S+\npalimpsest: 1 request · \d+ tokens seen, \d+ sent · 0 folds · \$0\.\d+ spent · the same as without folds, the same as with a summary at 80 % · \$0\.\d+ at best\n$/,
    );
  });

  test("that takes no MCP server for a run is offered the recall tool by the gateway, unless told otherwise", async () => {
    const script = `${ASK}
const talk = (turns) => Array.from({ length: 2 * turns + 1 }, (_, at) =>
  ({ role: at % 2 === 0 ? "user" : "assistant", content: at + ": " + "word ".repeat(300) }));
for (let turns = 1; turns < 16; turns++) await ask(process.env.GOOGLE_GEMINI_BASE_URL, talk(turns));`;
    const environment = { ...program("gemini", script), GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: undefined };
    const offered = async (...options: readonly string[]) => {
      const before = server.requests.length;
      const window = ["--upstream", server.url, "--window", "6k", ...options];
      expect(await start([...window, "--", "gemini"], environment)).toMatchObject({ code: 0 });
      const bodies = server.requests.slice(before).map(({ rawBody }) => rawBody);
      expect(bodies.some((body) => body.includes(" hidden in fold") || body.includes("fold condense-"))).toBe(true);
      return bodies.some((body) => body.includes('"name":"recall"'));
    };
    expect(await offered()).toBe(true);
    expect(await offered("--no-recall")).toBe(false);
  });

  test("gets the tools that read back what is hidden, by a file that is gone afterwards, unless told otherwise", async () => {
    const script = `
const { readFileSync } = await import("node:fs");
const file = process.argv.find((each) => each.startsWith("--mcp-config="))?.slice("--mcp-config=".length);
const url = file && JSON.parse(readFileSync(file, "utf8")).mcpServers.palimpsest.url;
const listed = url && await fetch(url, {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
}).then((response) => response.text());
console.log(JSON.stringify({ file, listed, given: process.argv.slice(2) }));`;
    const environment = { ...program("claude", script), ANTHROPIC_BASE_URL: undefined };
    const given = JSON.parse((await start(["--upstream", server.url, "--", "claude", "-p"], environment)).stdout);
    expect(given.listed).toContain('"name":"recall"');
    expect(given.given.at(-1)).toBe("-p");
    expect(existsSync(given.file)).toBe(false);
    const without = ["--no-recall", "--upstream", server.url, "--", "claude", "-p"];
    expect(JSON.parse((await start(without, environment)).stdout)).toEqual({ given: ["-p"] });
  });

  test("whose environment names a base URL is still asked there, unless told otherwise", async () => {
    const script = `${ASK} console.log(await ask(process.env.ANTHROPIC_BASE_URL, [{ role: "user", content: "Hello" }]));`;
    const environment = { ...program("claude", script), ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
    const asked = await start(["--", "claude"], environment);
    expect(asked.stdout).toContain("status: 200");
    expect(server.requests).toHaveLength(1);
    const other = await startModelServer();
    try {
      await start(["--anthropic-upstream", other.url, "--", "claude"], environment);
      expect(other.requests).toHaveLength(1);
      expect(server.requests).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  test("gets its own arguments, its environment as it was, and no proxy for the gateway", async () => {
    const environment = {
      ...program("codex", SHOW_ENVIRONMENT),
      OPENAI_API_KEY: "sk-kept",
      HTTPS_PROXY: "http://proxy.corp:3128",
      NO_PROXY: "corp",
      OPENAI_BASE_URL: undefined,
    };
    const { stdout, stderr } = await start(["--", "codex", "exec", "--json", "fix it"], environment);
    const { given, environment: seen } = JSON.parse(stdout);
    expect(given.slice(-3)).toEqual(["exec", "--json", "fix it"]);
    expect(given.join(" ")).toMatch(/-c model_providers\.palimpsest\.base_url="http:\/\/127\.0\.0\.1:\d+\/v1"/);
    expect(seen).toMatchObject({
      OPENAI_API_KEY: "sk-kept",
      HTTPS_PROXY: "http://proxy.corp:3128",
      NO_PROXY: "corp,127.0.0.1,localhost",
    });
    expect(seen).not.toHaveProperty("OPENAI_BASE_URL");
    expect(stderr).toMatch(
      /^palimpsest: dashboard at http:\/\/127\.0\.0\.1:\d+\/palimpsest\/\npalimpsest: no request came through the gateway\n$/,
    );
  });

  test("that takes a file has it while it runs, and no longer", async () => {
    const environment = program(
      "pi",
      'const file = process.argv[3]; console.log(JSON.stringify([file, require("node:fs").readFileSync(file, "utf8")]));',
    );
    const { stdout } = await start(["--", "pi"], environment);
    const [path, content] = JSON.parse(stdout);
    expect(content).toMatch(/registerProvider\("anthropic", \{ baseUrl: "http:\/\/127\.0\.0\.1:\d+" \}\)/);
    expect(existsSync(path)).toBe(false);
  });

  test("that nobody knows gets the usual variables, with a note", async () => {
    const { stdout, stderr } = await start(["--", "node", "-e", SHOW_ENVIRONMENT]);
    const { environment } = JSON.parse(stdout);
    expect(environment.OPENAI_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(environment.ANTHROPIC_BASE_URL).toBe(environment.OPENAI_BASE_URL.replace("/v1", ""));
    expect(stderr).toMatch(/^palimpsest: node is no agent that Palimpsest knows/m);
  });

  test("is folded where its window is small, and its session is kept", async () => {
    const long = `${ASK}
      const messages = [];
      for (let turn = 0; turn < 12; turn++) {
        messages.push({ role: "user", content: "step " + turn + " " + "the harbour light blinks twice ".repeat(200) });
        const { status, body } = await ask(process.env.ANTHROPIC_BASE_URL, messages);
        if (status !== 200) throw new Error(body);
        messages.push({ role: "assistant", content: JSON.parse(body).content });
      }`;
    const environment = { ...program("claude", long), ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
    const store = join(temporaryFolder(), "sessions.db");
    const ran = await startPalimpsest(["run", "--store", store, "--window", "10k", "--", "claude"], environment).ended;
    expect(ran).toMatchObject({ code: 0, stdout: "" });
    const [, seen = "", sent = "", folds = ""] =
      /12 requests · ([\d,]+) tokens seen, ([\d,]+) sent · (\d+) fold/.exec(ran.stderr) ?? [];
    expect(Number(folds)).toBeGreaterThan(0);
    expect(Number(sent.replace(",", ""))).toBeLessThan(Number(seen.replace(",", "")));
    const listed = await startPalimpsest(["sessions", "--store", store, "--json"]).ended;
    const { sessions } = JSON.parse(listed.stdout);
    expect(sessions).toHaveLength(1);
    expect(sessions[0].messages).toBeGreaterThanOrEqual(23);
  });
});

describe("the exit code", () => {
  test("is the agent's", async () => {
    const [seven, killed] = await Promise.all([
      start(["--", "node", "-e", "process.exit(7)"]),
      start(["--", "node", "-e", 'process.kill(process.pid, "SIGKILL")']),
    ]);
    expect(seven).toMatchObject({ code: 7, signal: null });
    expect(killed).toMatchObject({ code: 137, signal: null });
  });

  test("is 127 for a program that is not there, and 126 for one that may not be run", async () => {
    const [{ code, stderr }, folder] = await Promise.all([start(["--", "no-such-agent"]), start(["--", "/"])]);
    expect([code, folder.code]).toEqual([127, 126]);
    expect(stderr).toContain('palimpsest: there is no program "no-such-agent". Is it installed, and in your PATH?');
    expect(folder.stderr).toContain("palimpsest: cannot start /: its permissions do not allow it, or it is a folder.");
  });

  test.each([
    [[], "Name it behind --"],
    [["--"], "Name it behind --"],
    [["claude", "-p", "x"], "palimpsest run -- claude -p x"],
    [["--window", "x", "--", "claude"], '--window is "x"'],
    [["--upstream", "x", "--", "claude"], "it must be an http or https URL"],
    [["--host", "0.0.0.0", "--", "claude"], "There is no option --host"],
  ])("is 2 for %j", async (given, why) => {
    await expect(run(given)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(why) });
  });
});

/** The one of Linux, which takes a command; others have other flags. */
const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

describe("signals", () => {
  const countOf = (signal: string) => `
    let count = 0;
    process.on("${signal}", () => {
      if (++count === 1) setTimeout(() => { console.log(count + " times"); process.exit(5); }, 300);
    });
    console.log("ready");
    setInterval(() => {}, 1000);`;

  test("reach the agent, once, and it ends as it likes", async () => {
    const signals = sized<NodeJS.Signals[]>({ full: ["SIGINT", "SIGTERM", "SIGHUP"], short: ["SIGTERM"] });
    const ends = signals.map(async (signal) => {
      const palimpsest = startPalimpsest(["run", "--store", "memory", "--", "node", "-e", countOf(signal)]);
      await palimpsest.shows(/ready/);
      palimpsest.kill(signal);
      return palimpsest.ended;
    });
    for (const { code, stdout, stderr } of await Promise.all(ends)) {
      expect(stdout).toBe("ready\n1 times\n");
      expect(code).toBe(5);
      expect(stderr).toContain("no request came through the gateway");
    }
  });

  test("to the whole process group reach it once too", async () => {
    const signals = sized<NodeJS.Signals[]>({ full: ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"], short: ["SIGHUP"] });
    const ends = signals.map(async (signal) => {
      const palimpsest = startPalimpsest(["run", "--store", "memory", "--", "node", "-e", countOf(signal)]);
      await palimpsest.shows(/ready/);
      palimpsest.killGroup(signal);
      return palimpsest.ended;
    });
    for (const { code, stdout } of await Promise.all(ends)) {
      expect(stdout).toBe("ready\n1 times\n");
      expect(code).toBe(5);
    }
  });

  test("that npx hands on once more, after the group has got it, reach it once", async () => {
    const palimpsest = startPalimpsest(["run", "--store", "memory", "--", "node", "-e", countOf("SIGINT")]);
    await palimpsest.shows(/ready/);
    palimpsest.killGroup("SIGINT");
    palimpsest.kill("SIGINT");
    expect(await palimpsest.ended).toMatchObject({ code: 5, stdout: "ready\n1 times\n" });
  });

  test.skipIf(!hasScript)("in a terminal, Ctrl-C reaches the agent once", async () => {
    const palimpsest = startInTerminal(["run", "--store", "memory", "--", "node", "-e", countOf("SIGINT")]);
    await palimpsest.shows(/ready/);
    palimpsest.type("\u0003");
    expect(await palimpsest.ended).toMatchObject({ code: 5, stdout: expect.stringContaining("1 times") });
  });

  test.skipIf(!hasScript)("in a terminal, one to its process alone reaches the agent once", async () => {
    const script = `console.log("parent " + process.ppid);${countOf("SIGINT")}`;
    const palimpsest = startInTerminal(["run", "--store", "memory", "--", "node", "-e", script]);
    const [, parent] = /parent (\d+)/.exec(await palimpsest.shows(/ready/)) ?? [];
    process.kill(Number(parent), "SIGINT");
    expect(await palimpsest.ended).toMatchObject({ code: 5, stdout: expect.stringContaining("1 times") });
  });

  test("one that ends the agent is in the exit code", async () => {
    const script = 'console.log("ready"); setInterval(() => {}, 1000);';
    const palimpsest = startPalimpsest(["run", "--store", "memory", "--", "node", "-e", script]);
    await palimpsest.shows(/ready/);
    palimpsest.kill("SIGTERM");
    expect(await palimpsest.ended).toMatchObject({ code: 143 });
  });
});
