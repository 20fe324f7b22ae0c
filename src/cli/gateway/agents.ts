import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseJson } from "../../core/json/parse-json.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Environment } from "../terminal/output.ts";
import type { Agent, Api, BaseUrlVariable, Way } from "./agent.ts";
import { PI_RECALL_EXTENSION } from "./pi-extension.ts";

const MCP_URL = "{url}/palimpsest/mcp";
/** Tools that only read the current conversation: agents need not ask a person before each call. */
const READING_TOOLS = ["recall", "expand", "context_usage"];

/** Every agent that is recognised. A new one is a new row. */
export const AGENTS: readonly Agent[] = [
  {
    title: "Claude Code",
    programs: ["claude"],
    packages: ["@anthropic-ai/claude-code"],
    ways: [
      baseUrl("ANTHROPIC_BASE_URL", "anthropic"),
      {
        type: "note",
        text: "Claude Code is set to a cloud of its own (Bedrock, Vertex or Foundry), which the gateway does not speak for.",
        applies: isAnySet("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
      },
    ],
    // Options and values in one word: these options take every word that follows them.
    recallWays: [
      {
        type: "file",
        option: "--mcp-config=",
        fileName: "palimpsest-mcp.json",
        content: mcpServers({ type: "http", url: MCP_URL }),
      },
      {
        type: "arguments",
        values: [`--allowedTools=${READING_TOOLS.map((name) => `mcp__palimpsest__${name}`).join(",")}`],
      },
    ],
  },
  {
    title: "Codex",
    programs: ["codex"],
    packages: ["@openai/codex"],
    ways: [
      {
        type: "arguments",
        // A provider of our own, which sends the key: Codex's own one may use a ChatGPT login, which other servers refuse.
        values: [
          ...["-c", 'model_provider="palimpsest"'],
          ...["-c", 'model_providers.palimpsest.name="Palimpsest"'],
          ...["-c", 'model_providers.palimpsest.base_url="{base}"'],
          ...["-c", 'model_providers.palimpsest.env_key="OPENAI_API_KEY"'],
          ...["-c", 'model_providers.palimpsest.wire_api="responses"'],
        ],
        base: baseUrl("OPENAI_BASE_URL", "openai", "/v1"),
      },
      {
        type: "note",
        text: "Codex needs a key in OPENAI_API_KEY: a ChatGPT login is not used through the gateway.",
        applies: (environment) => !isSet(environment, "OPENAI_API_KEY"),
      },
    ],
    recallWays: [{ type: "arguments", values: ["-c", `mcp_servers.palimpsest.url="${MCP_URL}"`] }],
  },
  {
    title: "Gemini CLI",
    programs: ["gemini"],
    packages: ["@google/gemini-cli"],
    ways: [
      baseUrl("GOOGLE_GEMINI_BASE_URL", "gemini"),
      {
        type: "note",
        text: "Gemini CLI needs a key in GEMINI_API_KEY: a Google login goes to servers that the gateway does not speak for.",
        applies: (environment) => !isSet(environment, "GEMINI_API_KEY"),
      },
    ],
    // It reads MCP servers only from the person's files, or from folders that only root may write.
    recallsInGateway: true,
  },
  {
    title: "pi",
    programs: ["pi"],
    packages: ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
    ways: [
      {
        type: "file",
        option: "--extension",
        fileName: "palimpsest.ts",
        content: `export default function (pi) {
  pi.registerProvider("anthropic", { baseUrl: "{url}" });
  pi.registerProvider("openai", { baseUrl: "{url}/v1" });
  pi.registerProvider("google", { baseUrl: "{url}/v1beta" });
}
`,
      },
    ],
    recallWays: [
      { type: "file", option: "--extension", fileName: "palimpsest-recall.ts", content: PI_RECALL_EXTENSION },
    ],
  },
  {
    title: "Copilot CLI",
    programs: ["copilot"],
    packages: ["@github/copilot"],
    ways: [
      { ...baseUrl("COPILOT_PROVIDER_BASE_URL", "anthropic"), applies: isCopilotOf("anthropic") },
      { ...baseUrl("COPILOT_PROVIDER_BASE_URL", "openai", "/v1"), applies: isCopilotOf("openai") },
      {
        type: "note",
        text: "Copilot CLI goes through the gateway with COPILOT_PROVIDER_TYPE openai or anthropic only.",
        applies: (environment) => !isCopilotOf("openai")(environment) && !isCopilotOf("anthropic")(environment),
      },
      {
        type: "note",
        text: "Copilot CLI needs a model of your own: set COPILOT_MODEL, COPILOT_PROVIDER_API_KEY and COPILOT_PROVIDER_TYPE.",
        applies: (environment) => !isSet(environment, "COPILOT_MODEL"),
      },
    ],
    recallWays: [
      {
        type: "file",
        option: "--additional-mcp-config=@",
        fileName: "palimpsest-mcp.json",
        content: mcpServers({ type: "http", url: MCP_URL, tools: ["*"] }),
      },
      { type: "arguments", values: READING_TOOLS.map((name) => `--allow-tool=palimpsest(${name})`) },
    ],
  },
  {
    title: "opencode",
    programs: ["opencode"],
    packages: ["opencode-ai"],
    ways: [
      {
        type: "json-variable",
        name: "OPENCODE_CONFIG_CONTENT",
        value: {
          provider: {
            anthropic: { options: { baseURL: "{url}/v1" } },
            openai: { options: { baseURL: "{url}/v1" } },
            google: { options: { baseURL: "{url}/v1beta" } },
          },
        },
      },
    ],
    recallWays: [
      {
        type: "json-variable",
        name: "OPENCODE_CONFIG_CONTENT",
        value: { mcp: { palimpsest: { type: "remote", url: MCP_URL } } },
      },
    ],
  },
  {
    title: "qwen-code",
    programs: ["qwen"],
    packages: ["@qwen-code/qwen-code"],
    ways: [baseUrl("OPENAI_BASE_URL", "openai", "/v1")],
    recallWays: [
      {
        type: "file-variable",
        // Default settings, which the person's own override.
        name: "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
        fileName: "palimpsest-defaults.json",
        content: mcpServers({ httpUrl: MCP_URL }),
      },
    ],
  },
  {
    title: "Cline",
    programs: ["cline"],
    packages: ["cline"],
    ways: [
      { type: "note", text: 'Cline takes a base URL from its settings only: provider "openai-compatible", {url}/v1.' },
    ],
    recallWays: [
      {
        type: "file-variable",
        // It reads only one file: a person's own file stays in use if it names servers.
        name: "CLINE_MCP_SETTINGS_PATH",
        fileName: "palimpsest-mcp.json",
        content: mcpServers({ type: "streamableHttp", url: MCP_URL, autoApprove: READING_TOOLS }),
        applies: (environment) => !hasServers(clineServersFile(environment)),
      },
    ],
  },
  {
    title: "Continue",
    programs: ["cn"],
    packages: ["@continuedev/cli"],
    ways: [{ type: "note", text: "Continue takes a base URL from its config.yaml only: apiBase: {url}/v1." }],
    recallWays: [{ type: "arguments", values: ["--mcp", MCP_URL] }],
  },
  {
    title: "grok-cli",
    programs: ["grok"],
    packages: ["@vibe-kit/grok-cli"],
    ways: [baseUrl("GROK_BASE_URL", "openai", "/v1")],
    upstreams: { openai: "https://api.x.ai/v1" },
  },
  {
    title: "aider",
    programs: ["aider"],
    packages: ["aider-chat"],
    ways: [baseUrl("OPENAI_API_BASE", "openai", "/v1"), baseUrl("ANTHROPIC_API_BASE", "anthropic")],
  },
  {
    title: "goose",
    programs: ["goose"],
    packages: [],
    ways: [baseUrl("ANTHROPIC_HOST", "anthropic"), baseUrl("OPENAI_HOST", "openai"), baseUrl("GOOGLE_HOST", "gemini")],
  },
  {
    title: "Crush",
    programs: ["crush"],
    packages: ["@charmland/crush"],
    ways: [
      baseUrl("ANTHROPIC_API_ENDPOINT", "anthropic"),
      baseUrl("OPENAI_API_ENDPOINT", "openai", "/v1"),
      baseUrl("GEMINI_API_ENDPOINT", "gemini"),
    ],
  },
];

/** The variables that most other programs read. */
export const USUAL_WAYS: readonly Way[] = [
  baseUrl("ANTHROPIC_BASE_URL", "anthropic"),
  baseUrl("ANTHROPIC_API_BASE", "anthropic"),
  baseUrl("OPENAI_BASE_URL", "openai", "/v1"),
  baseUrl("OPENAI_API_BASE", "openai", "/v1"),
  baseUrl("GOOGLE_GEMINI_BASE_URL", "gemini"),
  baseUrl("GEMINI_BASE_URL", "gemini"),
];

function baseUrl(name: string, api: Api, path = ""): BaseUrlVariable {
  return { type: "base-url", name, api, path };
}

/** The usual form of a file that names MCP servers. */
function mcpServers(server: object): string {
  return `${JSON.stringify({ mcpServers: { palimpsest: server } }, undefined, 2)}\n`;
}

/** Where Cline keeps the MCP servers that a person has added. */
function clineServersFile({ CLINE_DATA_DIR, CLINE_DIR, HOME }: Environment): string {
  const folder = CLINE_DATA_DIR || join(CLINE_DIR || join(HOME || homedir(), ".cline"), "data");
  return join(folder, "settings/cline_mcp_settings.json");
}

/** Whether a file names MCP servers; true also for a file that cannot be read, which may name some. */
function hasServers(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const settings = parseJson(readFileSync(path, "utf8"));
    return !isRecord(settings) || (isRecord(settings.mcpServers) && Object.keys(settings.mcpServers).length > 0);
  } catch {
    return true;
  }
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? "") !== "";
}

function isAnySet(...names: readonly string[]) {
  return (environment: Environment) => names.some((name) => isSet(environment, name));
}

/** Copilot's own default is OpenAI's API. */
function isCopilotOf(type: string) {
  return (environment: Environment) => (environment.COPILOT_PROVIDER_TYPE || "openai") === type;
}
