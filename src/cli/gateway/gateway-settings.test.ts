import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseCommandLine } from "../terminal/command-line.ts";
import { GATEWAY_OPTIONS } from "./gateway-options.ts";
import { gatewayLog, gatewaySettings } from "./gateway-settings.ts";

const COMMAND = { name: "up", about: "", positionals: [], options: GATEWAY_OPTIONS };
const folder = mkdtempSync(join(tmpdir(), "palimpsest-settings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function settings(...given: readonly string[]) {
  const parsed = parseCommandLine(COMMAND, given);
  if (parsed.type === "help") throw new Error("help was not asked for");
  return gatewaySettings(COMMAND, parsed, {});
}

function file(content: unknown): string {
  const path = join(folder, "config.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("flags", () => {
  test("--log-level sets what the engine logs, and wins over the file", () => {
    const config = file({
      configuration: { monitoring: { logging: "error", hooks: false }, thresholds: { global: 50 } },
    });
    expect(settings().logLevel).toBeUndefined();
    expect(settings("--config", config).logLevel).toBe("error");
    const { configuration, logLevel } = settings("--config", config, "--log-level", "debug", "--threshold", "60");
    expect(logLevel).toBe("debug");
    expect(configuration).toEqual({
      monitoring: { logging: "debug", hooks: false },
      thresholds: { global: 60, adaptive: false },
    });
    expect(settings("--config", file({ configuration: { monitoring: { logging: true } } })).logLevel).toBe("info");
    expect(settings("--config", file({ configuration: { monitoring: { logging: false } } })).logLevel).toBeUndefined();
    expect(() => settings("--log-level", "loud")).toThrow("--log-level");
    const wrong = file({ configuration: { monitoring: { logging: "loud" } } });
    expect(() => settings("--config", wrong)).toThrow('"silent", "error", "warn", "info" or "debug"');
  });

  test("--offload names the folder for tool outputs, and wins over the file", () => {
    expect(settings().offload).toBeUndefined();
    expect(settings("--offload", "outputs").offload).toBe(resolve("outputs"));
    const config = file({ offload: "/var/outputs" });
    expect(settings("--config", config).offload).toBe("/var/outputs");
    expect(settings("--config", config, "--offload", "/tmp/outputs").offload).toBe("/tmp/outputs");
    expect(() => settings("--offload", "")).toThrow("--offload needs a value");
    expect(() => settings("--offload", "a\nb")).toThrow("--offload must be a folder");
    expect(() => settings("--config", file({ offload: 5 }))).toThrow("offload");
    expect(() => settings("--offload", config)).toThrow("which is a file; name a folder");
  });

  test("--cache-diagnosis asks providers why their caches missed, as the file may", () => {
    expect(settings().cache.diagnosis).toBeUndefined();
    expect(settings("--cache-diagnosis").cache.diagnosis).toBe(true);
    expect(settings("--config", file({ cache: { diagnosis: true } })).cache.diagnosis).toBe(true);
    expect(() => settings("--config", file({ cache: { diagnosis: "yes" } }))).toThrow("cache.diagnosis");
  });

  test("--budget limits prompts by the kind of request, and wins over the file kind by kind", () => {
    const config = file({ budgets: { main: 100_000, side: 20_000 } });
    expect(settings("--config", config, "--budget", "sub-agent=60k,side=30,000").budgets).toEqual({
      ...{ main: 100_000, "sub-agent": 60_000, side: 30_000 },
    });
    for (const wrong of ["60k", "child=60k", "side=much", "side=0", "main=1k,"]) {
      expect(() => settings("--budget", wrong)).toThrow("--budget is");
    }
    expect(() => settings("--config", file({ budgets: { child: 5 } }))).toThrow("budgets.child");
    expect(() => settings("--config", file({ budgets: { side: 0 } }))).toThrow("budgets.side");
  });

  test("--budget-notice tells the model how full its window is, beside what the file says", () => {
    const config = file({ configuration: { monitoring: { hooks: false } } });
    expect(settings("--config", config, "--budget-notice").configuration).toEqual({
      monitoring: { hooks: false, budgetNotice: true },
    });
    expect(settings().configuration).toBeUndefined();
  });

  test("--recall-tool or the file switches the gateway's own recall tool on", () => {
    expect(settings().recallTool).toBeUndefined();
    expect(settings("--recall-tool").recallTool).toBe(true);
    expect(settings("--config", file({ recallTool: true })).recallTool).toBe(true);
    expect(settings("--config", file({ recallTool: false })).recallTool).toBe(false);
    expect(() => settings("--config", file({ recallTool: "yes" }))).toThrow("recallTool is");
  });

  test("--keep-requests or the file says whose bodies are kept, and the flag wins", () => {
    expect(settings().keepRequests).toBeUndefined();
    const config = file({ keepRequests: "off" });
    expect(settings("--config", config).keepRequests).toBe("off");
    expect(settings("--config", config, "--keep-requests", "all").keepRequests).toBe("all");
    expect(() => settings("--keep-requests", "some")).toThrow("--keep-requests");
    expect(() => settings("--config", file({ keepRequests: 5 }))).toThrow("keepRequests");
  });

  test("--cache-breakpoints and --cache-ttl say what is marked for the cache, and win over the file", () => {
    expect(settings().cache).toEqual({ breakpoints: undefined, ttl: undefined });
    const config = file({ cache: { breakpoints: "off", ttl: "1h" } });
    expect(settings("--config", config).cache).toEqual({ breakpoints: "off", ttl: "1h" });
    expect(settings("--config", config, "--cache-breakpoints", "always", "--cache-ttl", "5m").cache).toEqual({
      breakpoints: "always",
      ttl: "5m",
    });
    expect(() => settings("--cache-breakpoints", "never")).toThrow("--cache-breakpoints");
    expect(() => settings("--cache-ttl", "2h")).toThrow("--cache-ttl");
    expect(() => settings("--config", file({ cache: { ttl: "2h" } }))).toThrow("cache.ttl");
    expect(() => settings("--config", file({ cache: { marks: 3 } }))).toThrow("cache.marks is no setting");
  });

  test.each([
    [undefined, ["warn", "info"]],
    ["silent", []],
    ["error", []],
    ["warn", ["warn"]],
    ["debug", ["warn", "info", "debug"]],
  ] as const)("a gateway's log at %s has %j", (level, expected) => {
    const written: string[] = [];
    const log = gatewayLog({ write: (text) => written.push(text) }, level);
    for (const each of ["warn", "info", "debug"] as const) log(each, each);
    expect(written).toEqual(expected.map((each) => `palimpsest: ${each}\n`));
  });

  test("--upstream is for all APIs that have none of their own", () => {
    const { upstreams } = settings("--upstream", "https://proxy.example/", "--openai-upstream", "http://b/api/v1");
    expect(upstreams).toEqual({
      anthropic: "https://proxy.example",
      openai: "http://b/api/v1",
      gemini: "https://proxy.example",
    });
    expect(settings("--gemini-upstream", "http://g/v1beta").upstreams).toEqual({ gemini: "http://g/v1beta" });
  });

  test.each([
    ["ftp://x", "must be an http or https URL"],
    ["proxy.example", "must be an http or https URL"],
    ["https://me:secret@x", "with a user name or a password"],
    ["https://x/?key=1", "with a query"],
  ])("--upstream %s is refused", (url, why) => {
    expect(() => settings("--upstream", url)).toThrow(why);
    expect(() => settings("--upstream", url)).not.toThrow("secret");
  });

  test.each([
    ["128k", { all: 128_000, models: {} }],
    ["128,000", { all: 128_000, models: {} }],
    [
      "gpt-5=272k,claude-sonnet-4-5=200,000",
      { all: undefined, models: { "gpt-5": 272_000, "claude-sonnet-4-5": 200_000 } },
    ],
    ["64k,ft:gpt=x=32k", { all: 64_000, models: { "ft:gpt=x": 32_000 } }],
  ])("--window %s", (text, windows) => {
    expect(settings("--window", text).windows).toEqual(windows);
  });

  test.each(["0", "many", "=5k", "gpt-5=", "gpt-5=-1", "1.5", "8k,,9k"])("--window %s is refused", (text) => {
    expect(() => settings("--window", text)).toThrow("it must be a number of tokens, such as 128k");
  });

  test("--threshold is a percentage", () => {
    expect(settings("--threshold", "60%").configuration).toEqual({ thresholds: { global: 60, adaptive: false } });
    for (const text of ["4", "101", "half", "0.6.1"]) {
      expect(() => settings("--threshold", text)).toThrow("it must be a percentage from 5 to 100");
    }
  });

  test("--store takes memory, a file or a server, and no other scheme", () => {
    expect(settings("--store", "memory").store).toEqual({ type: "memory" });
    expect(settings("--store", "./mine.db").store).toMatchObject({ type: "sqlite", path: resolve("mine.db") });
    expect(settings("--store", "postgres://h/d").store).toMatchObject({ type: "postgres" });
    expect(settings().store).toMatchObject({ type: "sqlite", isDefault: true });
    expect(() => settings("--store", "redis://h")).toThrow("--store begins with redis://");
  });
});

describe("--policy and --economy", () => {
  test.each([
    [["--policy", "threshold"], { adaptive: false }],
    [["--policy", "rent"], { adaptive: true }],
    [["--policy", "rent", "--threshold", "60"], { adaptive: true, global: 60 }],
    [["--economy", "thrifty"], { economy: "thrifty" }],
    [["--economy", "12k"], { economy: 12_000 }],
  ])("%j", (flags, thresholds) => {
    expect(settings(...flags).configuration).toEqual({ thresholds });
  });

  test.each([
    [["--policy", "rend"], '--policy is "rend"; it must be one of rent, threshold. Did you mean rent?'],
    [["--economy", "mean"], '--economy is "mean"; it must be'],
    [["--economy", "5"], '--economy is "5"; it must be'],
  ])("%j is refused", (flags, message) => {
    expect(() => settings(...flags)).toThrow(message);
  });
});

describe("the file of --config", () => {
  const whole = {
    port: 8080,
    host: "127.0.0.1",
    upstreams: { openai: "http://b/v1" },
    windows: { all: 64_000, models: { "gpt-5": 272_000 } },
    store: "memory",
    condenseWith: "anthropic/claude-haiku-4-5",
    configuration: { thresholds: { global: 50, adaptive: true } },
    checkpoints: "work",
    limits: { maxBodyBytes: 1_000 },
  };

  test("holds the same settings", () => {
    const read = settings("--config", file(whole));
    expect(read.file).toEqual(whole);
    expect(read).toMatchObject({
      upstreams: whole.upstreams,
      windows: whole.windows,
      store: { type: "memory" },
      condenseWith: whole.condenseWith,
      configuration: whole.configuration,
      checkpoints: "work",
      limits: whole.limits,
    });
  });

  test("is overruled by flags, setting by setting", () => {
    const path = file(whole);
    const read = settings(
      "--config",
      path,
      "--upstream",
      "http://a",
      "--threshold",
      "70",
      "--store",
      "x.db",
      "--window",
      "8k",
    );
    expect(read.upstreams).toEqual({ anthropic: "http://a", openai: "http://a", gemini: "http://a" });
    expect(read.configuration).toEqual({ thresholds: { global: 70, adaptive: false } });
    expect(read.store).toMatchObject({ path: resolve("x.db") });
    expect(read.windows).toEqual({ all: 8_000, models: {} });
  });

  test.each([
    [{ prot: 1 }, "prot is no setting. Did you mean port?"],
    [{ upstreams: { open: "http://b" } }, "upstreams.open is no setting. Did you mean openai?"],
    [{ windows: { model: {} } }, "windows.model is no setting. Did you mean models?"],
    [{ checkpoints: true }, "checkpoints is true; it must be a text, not empty"],
    [{ limits: { maxBodyByte: 1 } }, "limits.maxBodyByte is no setting. Did you mean maxBodyBytes?"],
    [{ configuration: { treshold: {} } }, "configuration.treshold is not a setting; the nearest is thresholds."],
    [{ port: 70_000 }, "port is 70000; it must be a whole number from 0 to 65535."],
    [
      { windows: { models: { "gpt-5": "big" } } },
      'windows.models.gpt-5 is "big"; it must be a whole number of at least 1.',
    ],
    [{ upstreams: { gemini: "x" } }, 'upstreams.gemini is "x"; it must be an http or https URL.'],
    [{ store: 5 }, "store is 5; it must be a text, not empty."],
    [[], "the file is an array; it must be an object."],
    ["{", "is no JSON: the JSON is truncated: it ends before everything that it opens is closed."],
    ["", "the JSON is truncated"],
    ['{"store": "memo', "the JSON is truncated"],
    ['{"store": "me\\"{[mory", "limits": {"maxBodyBytes": 5', "the JSON is truncated"],
    ['{"store": memory}', "is no JSON: Unexpected token"],
    ['{"store": "[{memory",}', "is no JSON: Expected double-quoted"],
    [{ configuration: { strategies: { clear: { excludeTools: "read" } } } }, "it must be a list of names"],
  ])("is refused with %j", (content, why) => {
    expect(() => settings("--config", file(content))).toThrow(why);
  });

  test("says how old results are cleared", () => {
    const clear = { excludeTools: ["read_file"], placeholder: "an old result" };
    const { configuration } = settings("--config", file({ configuration: { strategies: { clear } } }));
    expect(configuration?.strategies?.clear).toEqual(clear);
  });

  test("that is not there is a failure, not a wrong command line", () => {
    expect(() => settings("--config", join(folder, "none.json"))).toThrow(
      expect.objectContaining({
        exitCode: 1,
        message: expect.stringMatching(/cannot read --config .*none.json: there is no such file. Check the path/),
      }),
    );
  });
});
