import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { commandFolders, palimpsest, told } from "../../../test/support/stored-commands.ts";
import type { SourcedSetting } from "../gateway/setting-sources.ts";
import type { UP_OPTIONS } from "../gateway/up-settings.ts";

const folders = commandFolders();

function fileOf(content: unknown): string {
  const path = join(folders.folder, "gateway.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function settingsOf(...given: readonly string[]): Promise<ReadonlyMap<string, SourcedSetting>> {
  const { settings } = await told("config", ...given);
  return new Map(settings.map((setting: SourcedSetting) => [setting.name, setting]));
}

/** Each option that is a setting, with a value and the setting that it makes. */
const FLAGS: Readonly<
  Record<Exclude<keyof typeof UP_OPTIONS, "config">, readonly [string | undefined, string, unknown]>
> = {
  port: ["8000", "port", 8_000],
  host: ["localhost", "host", "localhost"],
  token: ["sixteen-letters-or-more", "token", "(set, not shown)"],
  upstream: ["http://llm.corp", "upstreams.gemini", "http://llm.corp"],
  "anthropic-upstream": ["http://llm.corp", "upstreams.anthropic", "http://llm.corp"],
  "openai-upstream": ["http://llm.corp/v1", "upstreams.openai", "http://llm.corp/v1"],
  "gemini-upstream": ["http://llm.corp", "upstreams.gemini", "http://llm.corp"],
  window: ["gpt-4.1=272k", "windows.models.gpt-4.1", 272_000],
  budget: ["side=30k", "budgets.side", 30_000],
  policy: ["threshold", "configuration.thresholds.adaptive", false],
  economy: ["thrifty", "configuration.thresholds.economy", "thrifty"],
  threshold: ["70", "configuration.thresholds.global", 70],
  "condense-with": ["ollama/qwen3", "condenseWith", "ollama/qwen3"],
  "budget-notice": [undefined, "configuration.monitoring.budgetNotice", true],
  "cache-breakpoints": ["always", "cache.breakpoints", "always"],
  "cache-ttl": ["1h", "cache.ttl", "1h"],
  "cache-diagnosis": [undefined, "cache.diagnosis", true],
  "recall-tool": [undefined, "recallTool", true],
  "keep-requests": ["off", "keepRequests", "off"],
  store: ["memory", "store", "memory"],
  keep: ["90d", "retention.keepMs", 7_776_000_000],
  "keep-size": ["1GB", "retention.keepBytes", 1_000_000_000],
  offload: ["/outputs", "offload", "/outputs"],
  "log-level": ["debug", "configuration.monitoring.logging", "debug"],
  checkpoints: ["/work", "checkpoints", "/work"],
  drain: ["30s", "drainMs", 30_000],
};

test.each(Object.entries(FLAGS))("--%s is shown as a flag's setting", async (option, [text, name, value]) => {
  const settings = await settingsOf(`--${option}`, ...(text === undefined ? [] : [text]));
  expect(settings.get(name)).toEqual({ name, value, from: "flag" });
});

describe("a setting", () => {
  test("comes from the first source that has it: flag, file, environment, default", async () => {
    const file = fileOf({ port: 8_717, store: "memory", budgets: { main: 9_000, side: 8_000 }, host: "localhost" });
    vi.stubEnv("PALIMPSEST_STORE", "postgres://me:hunter2@db.corp/sessions");
    vi.stubEnv("PALIMPSEST_OFFLOAD", "/outputs");
    const all = await settingsOf("--config", file, "--port", "8717", "--budget", "side=8k");
    const from = (name: string) => all.get(name)?.from;
    // The flag and the file say the same.
    expect([from("port"), from("host"), from("offload")]).toEqual(["flag", "file", "environment"]);
    expect([from("budgets.side"), from("budgets.main"), from("keepRequests")]).toEqual(["flag", "file", "default"]);
    expect(all.get("store")).toEqual({ name: "store", value: "memory", from: "file" });
    expect((await settingsOf()).get("store")).toMatchObject({ value: "PostgreSQL at db.corp/sessions" });
  });

  test("that a flag replaces as a whole shows nothing of the file", async () => {
    const file = fileOf({ windows: { all: 128_000, models: { "gpt-5": 272_000 } } });
    const settings = await settingsOf("--config", file, "--window", "64k");
    expect(settings.get("windows.all")).toMatchObject({ value: 64_000, from: "flag" });
    expect(settings.has("windows.models.gpt-5")).toBe(false);
  });

  test("that is secret is not shown, on a terminal or in JSON", async () => {
    vi.stubEnv("PALIMPSEST_TOKEN", "hunter2-hunter2-hunter2");
    const store = ["--store", "postgres://me:hunter2@db.corp/sessions"];
    for (const given of [store, [...store, "--json"]]) {
      const { status, stdout } = await palimpsest("config", ...given, "--host", "0.0.0.0");
      expect([status, stdout]).toEqual([0, expect.stringContaining("(set, not shown)")]);
      expect(stdout).not.toContain("hunter2");
    }
  });
});

test("people get a table, in which nothing is cut", async () => {
  const url = `http://llm.corp/${"long/".repeat(40)}end`;
  const { status, stdout } = await palimpsest("config", "--anthropic-upstream", url);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^ {2}setting +value +from\n {2}port +7717 +default\n/);
  expect(stdout).toMatch(/^ {2}upstreams\.anthropic +http:\/\/llm\.corp\/\S+\/end +flag$/m);
  expect(stdout).toMatch(/^ {2}token +none +default$/m);
});

describe("refuses as up does", () => {
  test.each([
    [{ port: "http" }, "port is"],
    [{ prot: 8_717 }, "prot is no setting. Did you mean port?"],
    ['{ "port": 8717', "is no JSON"],
    [{ host: "0.0.0.0" }, "A token is given by --token, or by $PALIMPSEST_TOKEN"],
    [{ condenseWith: "openai-compatible/qwen3" }, "needs --openai-upstream"],
  ])("the file %j", async (content, why) => {
    const { status, stdout, stderr } = await palimpsest("config", "--config", fileOf(content));
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(why)]);
  });

  test("a file that cannot be read, and an option that there is not", async () => {
    mkdirSync(folders.home);
    expect(await palimpsest("config", "--config", folders.home)).toMatchObject({ status: 1, stdout: "" });
    expect(await palimpsest("config", "--prot", "1")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Did you mean --port?"),
    });
  });
});
