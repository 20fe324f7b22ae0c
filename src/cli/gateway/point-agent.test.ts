import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Environment } from "../terminal/output.ts";
import { findAgent } from "./find-agent.ts";
import { agentUpstreams, pointAgent } from "./point-agent.ts";

const URL = "http://127.0.0.1:4711";

/** Without recall, unless it is asked for: what points an agent is told apart from what gives it tools. */
function point(command: readonly string[], environment: Environment = {}, hasRecall = false) {
  const files: Record<string, string> = {};
  const writeFile = (name: string, content: string) => {
    files[name] = content;
    return `/tmp/${name}`;
  };
  const pointed = pointAgent({ found: findAgent(command), command, environment, url: URL, writeFile, hasRecall });
  return { ...pointed, files };
}

/** Only what is not there before, proxies aside. */
function variablesFor(command: readonly string[], environment: Environment = {}) {
  const { environment: all } = point(command, environment);
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => !/no_proxy/i.test(name) && environment[name] !== value),
  );
}

describe("an agent is pointed at the gateway", () => {
  test.each([
    ["claude", { ANTHROPIC_BASE_URL: URL }],
    ["gemini", { GOOGLE_GEMINI_BASE_URL: URL }],
    ["qwen", { OPENAI_BASE_URL: `${URL}/v1` }],
    ["grok", { GROK_BASE_URL: `${URL}/v1` }],
    ["aider", { OPENAI_API_BASE: `${URL}/v1`, ANTHROPIC_API_BASE: URL }],
    ["goose", { ANTHROPIC_HOST: URL, OPENAI_HOST: URL, GOOGLE_HOST: URL }],
    ["copilot", { COPILOT_PROVIDER_BASE_URL: `${URL}/v1` }],
    ["cline", {}],
  ])("%s by its own variables alone", (program, variables) => {
    expect(variablesFor([program])).toEqual(variables);
  });

  test("Copilot by the API that it is set to", () => {
    const environment = { COPILOT_PROVIDER_TYPE: "anthropic", COPILOT_MODEL: "claude-sonnet-4-5" };
    expect(variablesFor(["copilot"], environment)).toEqual({ COPILOT_PROVIDER_BASE_URL: URL });
    expect(point(["copilot"], environment).notes).toEqual([]);
    expect(variablesFor(["copilot"], { COPILOT_PROVIDER_TYPE: "azure" })).toEqual({});
    expect(point(["copilot"], { COPILOT_PROVIDER_TYPE: "azure" }).notes[0]).toContain("openai or anthropic only");
  });

  test("Codex by overrides of its configuration, before its own arguments and behind npx", () => {
    const { command } = point(["npx", "-y", "@openai/codex", "exec", "--json", "fix it"], { OPENAI_API_KEY: "k" });
    expect(command.slice(0, 3)).toEqual(["npx", "-y", "@openai/codex"]);
    expect(command.slice(-3)).toEqual(["exec", "--json", "fix it"]);
    const overrides = command.slice(3, -3);
    expect(overrides.filter((_, place) => place % 2 === 0)).toEqual(["-c", "-c", "-c", "-c", "-c"]);
    expect(overrides).toContain('model_provider="palimpsest"');
    expect(overrides).toContain(`model_providers.palimpsest.base_url="${URL}/v1"`);
    expect(overrides).toContain('model_providers.palimpsest.wire_api="responses"');
    expect(variablesFor(["codex"], { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://proxy.example/v1" })).toEqual({});
  });

  test("opencode by JSON that keeps what the user's says", () => {
    const own = { theme: "dark", provider: { anthropic: { options: { timeout: 1, baseURL: "x" } }, local: { id: 1 } } };
    const { environment } = point(["opencode", "run"], { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) });
    expect(JSON.parse(environment.OPENCODE_CONFIG_CONTENT ?? "")).toEqual({
      theme: "dark",
      provider: {
        local: { id: 1 },
        anthropic: { options: { timeout: 1, baseURL: `${URL}/v1` } },
        openai: { options: { baseURL: `${URL}/v1` } },
        google: { options: { baseURL: `${URL}/v1beta` } },
      },
    });
    const broken = point(["opencode"], { OPENCODE_CONFIG_CONTENT: "// mine" });
    expect(broken.environment.OPENCODE_CONFIG_CONTENT).toBe("// mine");
    expect(broken.notes).toEqual(["OPENCODE_CONFIG_CONTENT is no JSON object, so it was left alone."]);
  });

  test("without a version where its base URL was a server alone, unless its requests go elsewhere", () => {
    const environment = { OPENAI_BASE_URL: "https://llm.example/" };
    expect(variablesFor(["qwen"], environment)).toEqual({ OPENAI_BASE_URL: URL });
    expect(point(["codex"], environment).command).toContain(`model_providers.palimpsest.base_url="${URL}"`);
    for (const base of ["https://llm.example/v4/", "https://llm.example/v1beta/openai"]) {
      expect(variablesFor(["qwen"], { OPENAI_BASE_URL: base })).toEqual({ OPENAI_BASE_URL: `${URL}/v1` });
      expect(point(["codex"], { OPENAI_BASE_URL: base }).command.join(" ")).toContain(`base_url="${URL}/v1"`);
    }
    const pointed = pointAgent({
      ...{ found: findAgent(["qwen"]), command: ["qwen"], environment, url: URL },
      writeFile: () => "",
      overruled: ["openai"],
    });
    expect(pointed.environment.OPENAI_BASE_URL).toBe(`${URL}/v1`);
  });

  test("pi by an extension of this run", () => {
    const { command, files } = point(["pi", "-p", "hello"]);
    expect(command).toEqual(["pi", "--extension", "/tmp/palimpsest.ts", "-p", "hello"]);
    expect(files["palimpsest.ts"]).toContain(`registerProvider("google", { baseUrl: "${URL}/v1beta" })`);
  });

  test("one that nobody knows by all that programs usually read, and it is said", () => {
    const { environment, notes, command } = point(["my-agent", "--x"]);
    expect(command).toEqual(["my-agent", "--x"]);
    expect(environment).toMatchObject({
      ANTHROPIC_BASE_URL: URL,
      OPENAI_BASE_URL: `${URL}/v1`,
      OPENAI_API_BASE: `${URL}/v1`,
      GOOGLE_GEMINI_BASE_URL: URL,
      GEMINI_BASE_URL: URL,
    });
    expect(notes[0]).toMatch(/^my-agent is no agent that Palimpsest knows.*OPENAI_BASE_URL/);
  });

  test("with everything else in its environment as it was, and no proxy for this machine", () => {
    const own = { PATH: "/bin", ANTHROPIC_API_KEY: "sk-secret", no_proxy: "corp.example, 127.0.0.1" };
    const { environment, notes } = point(["claude"], own);
    expect(environment).toEqual({
      ...own,
      ANTHROPIC_BASE_URL: URL,
      NO_PROXY: "corp.example,127.0.0.1,localhost",
      no_proxy: "corp.example,127.0.0.1,localhost",
    });
    expect(notes).toEqual([]);
    expect(point(["claude"], { NO_PROXY: "*" }).environment).toMatchObject({ NO_PROXY: "*", no_proxy: "*" });
  });

  test("and the person is told what it cannot do by itself", () => {
    expect(point(["cn"]).notes[0]).toContain(`apiBase: ${URL}/v1`);
    expect(point(["codex"]).notes[0]).toContain("OPENAI_API_KEY");
    expect(point(["claude"], { CLAUDE_CODE_USE_BEDROCK: "1" }).notes[0]).toContain("Bedrock");
  });
});

describe("where its requests go", () => {
  const of = (program: string, environment: Environment) => agentUpstreams(findAgent([program]).agent, environment);

  test("is what its variables said before", () => {
    expect(of("claude", { ANTHROPIC_BASE_URL: "https://proxy.corp/anthropic/" })).toEqual({
      anthropic: "https://proxy.corp/anthropic",
    });
    expect(of("qwen", { OPENAI_BASE_URL: "https://openrouter.ai/api/v1" })).toEqual({
      openai: "https://openrouter.ai/api/v1",
    });
    expect(of("codex", { OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" })).toEqual({
      openai: "http://127.0.0.1:8000/v1",
    });
    expect(of("my-agent", { OPENAI_API_BASE: "http://b/v1", GEMINI_BASE_URL: "http://c" })).toEqual({
      openai: "http://b/v1",
      gemini: "http://c",
    });
  });

  test("says the version where the agent would add it to a path of OpenAI's", () => {
    expect(of("goose", { OPENAI_HOST: "https://proxy.corp/openai" })).toEqual({
      openai: "https://proxy.corp/openai/v1",
    });
    expect(of("goose", { OPENAI_HOST: "https://proxy.corp" })).toEqual({ openai: "https://proxy.corp" });
    expect(of("qwen", { OPENAI_BASE_URL: "https://g.example/v1beta/openai/" })).toEqual({
      openai: "https://g.example/v1beta/openai",
    });
  });

  test("is not what other agents' variables say", () => {
    expect(of("claude", { OPENAI_BASE_URL: "http://b/v1" })).toEqual({});
  });

  test("is xAI's server for grok-cli", () => {
    expect(of("grok", {})).toEqual({ openai: "https://api.x.ai/v1" });
    expect(of("grok", { GROK_BASE_URL: "http://b/v1" })).toEqual({ openai: "http://b/v1" });
  });

  test("is nothing that could be sent nowhere, and a password is not repeated", () => {
    expect(() => of("claude", { ANTHROPIC_BASE_URL: "proxy.corp" })).toThrow(
      'run: the variable ANTHROPIC_BASE_URL is "proxy.corp"; it must be an http or https URL.',
    );
    const refused = () => of("claude", { ANTHROPIC_BASE_URL: "https://me:secret@proxy.corp" });
    expect(refused).toThrow("with a user name or a password");
    expect(refused).not.toThrow("secret");
  });
});

describe("an agent is given the tools that read back what is hidden", () => {
  const MCP = `${URL}/palimpsest/mcp`;

  test("Claude Code by a file of this run, and may read without asking; its own arguments come behind", () => {
    const { command, files } = point(["claude", "fix it"], {}, true);
    expect(command).toEqual([
      "claude",
      "--mcp-config=/tmp/palimpsest-mcp.json",
      "--allowedTools=mcp__palimpsest__recall,mcp__palimpsest__expand,mcp__palimpsest__context_usage",
      "fix it",
    ]);
    expect(JSON.parse(files["palimpsest-mcp.json"] ?? "")).toEqual({
      mcpServers: { palimpsest: { type: "http", url: MCP } },
    });
  });

  test("Codex by an override of its configuration", () => {
    const { command } = point(["codex", "exec"], { OPENAI_API_KEY: "k" }, true);
    expect(command).toContain(`mcp_servers.palimpsest.url="${MCP}"`);
    expect(command.at(-1)).toBe("exec");
  });

  test("Copilot by a file that it adds to its own, and may read without asking", () => {
    const { command, files } = point(["copilot", "-p", "x"], { COPILOT_MODEL: "m" }, true);
    expect(command.slice(1, 3)).toEqual([
      "--additional-mcp-config=@/tmp/palimpsest-mcp.json",
      "--allow-tool=palimpsest(recall)",
    ]);
    expect(files["palimpsest-mcp.json"]).toContain(MCP);
  });

  test("opencode by the same variable that points it, which keeps what the user's says", () => {
    const own = JSON.stringify({ mcp: { mine: { type: "local", command: ["x"] } } });
    const { environment } = point(["opencode"], { OPENCODE_CONFIG_CONTENT: own }, true);
    const config = JSON.parse(environment.OPENCODE_CONFIG_CONTENT ?? "");
    expect(config.mcp).toEqual({ mine: { type: "local", command: ["x"] }, palimpsest: { type: "remote", url: MCP } });
    expect(config.provider.openai).toEqual({ options: { baseURL: `${URL}/v1` } });
  });

  test("qwen-code by settings below all of its own, unless there are such already", () => {
    const { environment, files } = point(["qwen"], {}, true);
    expect(environment.QWEN_CODE_SYSTEM_DEFAULTS_PATH).toBe("/tmp/palimpsest-defaults.json");
    expect(JSON.parse(files["palimpsest-defaults.json"] ?? "")).toEqual({
      mcpServers: { palimpsest: { httpUrl: MCP } },
    });
    const kept = point(["qwen"], { QWEN_CODE_SYSTEM_DEFAULTS_PATH: "/etc/defaults.json" }, true);
    expect(kept.environment.QWEN_CODE_SYSTEM_DEFAULTS_PATH).toBe("/etc/defaults.json");
    expect(kept.files).toEqual({});
  });

  test("Continue by an argument", () => {
    expect(point(["cn", "-p", "x"], {}, true).command).toEqual(["cn", "--mcp", MCP, "-p", "x"]);
  });

  test("Cline by a file of this run, unless the person has servers in their own", () => {
    const folder = temporaryFolder();
    const environment = { CLINE_DATA_DIR: folder };
    const given = () => point(["cline"], environment, true);
    expect(given().environment.CLINE_MCP_SETTINGS_PATH).toBe("/tmp/palimpsest-mcp.json");
    expect(JSON.parse(given().files["palimpsest-mcp.json"] ?? "").mcpServers.palimpsest).toMatchObject({ url: MCP });
    mkdirSync(join(folder, "settings"));
    const file = join(folder, "settings/cline_mcp_settings.json");
    for (const [text, isGiven] of [
      ['{"mcpServers":{}}', true],
      ['{"mcpServers":{"mine":{"command":"x"}}}', false],
      ["// not JSON", false],
    ] as const) {
      writeFileSync(file, text);
      expect([text, given().environment.CLINE_MCP_SETTINGS_PATH !== undefined]).toEqual([text, isGiven]);
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });

  test("pi by an extension of this run, beside the one that points it", () => {
    const { command, files } = point(["pi", "x"], {}, true);
    const [, ...extensions] = command.slice(0, -1);
    expect(extensions).toEqual(["--extension", "/tmp/palimpsest.ts", "--extension", "/tmp/palimpsest-recall.ts"]);
    expect(files["palimpsest-recall.ts"]).toContain(MCP);
  });

  test("and no other agent gets an argument or a variable more", () => {
    for (const program of ["gemini", "grok", "aider", "goose", "crush", "my-agent"]) {
      expect(point([program], {}, true)).toEqual(point([program]));
    }
  });
});
