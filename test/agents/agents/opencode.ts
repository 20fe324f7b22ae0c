import { join } from "node:path";
import type { Agent, LaunchOptions } from "../agent.ts";

/** One of the APIs that it speaks. */
interface OpencodeApi {
  /** The package that speaks it. */
  readonly npm: string;
  /** Below the origin. */
  readonly basePath: string;
  /** Its own provider that is used where something else says where it is. */
  readonly provider: string;
  readonly modelId: string;
}

const PROVIDER = "scripted";
const WINDOW_TOKENS = 400_000;

const MESSAGES = {
  npm: "@ai-sdk/anthropic",
  basePath: "/v1",
  provider: "anthropic",
  modelId: "claude-sonnet-4-5",
};
const CHAT = { ...MESSAGES, npm: "@ai-sdk/openai-compatible" };
const RESPONSES = { npm: "@ai-sdk/openai", basePath: "/v1", provider: "openai", modelId: "gpt-5.5" };
const GEMINI = { npm: "@ai-sdk/google", basePath: "/v1beta", provider: "google", modelId: "gemini-2.5-pro" };

export const opencode: Agent = {
  name: "opencode",
  packageName: "opencode-ai",
  version: "1.18.33",
  command: "opencode",
  modelId: "scripted-model",
  tightWindowTokens: 30_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  summarises: { type: "window", tokens: 28_000 },
  delegates: { tool: "task", input: { description: "reads a note", subagent_type: "general" }, isParentNamed: true },
  layout: {
    guide: "AGENTS.md",
    nestedGuide: (folder) => ({ path: `${folder}/AGENTS.md` }),
    skills: ".opencode/skills",
    agentType: (name) => `.opencode/agents/${name}.md`,
    planMarker: /Plan mode ACTIVE/,
  },
  launch: launchOn(CHAT),
};

export const opencodeOnMessages = opencodeOn("opencode on Messages", MESSAGES);
export const opencodeOnResponses = opencodeOn("opencode on Responses", RESPONSES);
/** A model whose calls have no ids. */
export const opencodeOnGemini: Agent = {
  ...opencodeOn("opencode on Gemini", GEMINI),
  // It sends calls right behind its summary then, which Gemini refuses.
  summarises: undefined,
};

function opencodeOn(name: string, api: OpencodeApi): Agent {
  return { ...opencode, name, modelId: api.modelId, launch: launchOn(api) };
}

function launchOn(api: OpencodeApi): Agent["launch"] {
  return (options) => ({
    arguments: argumentsFor(api, options),
    environment: { OPENCODE_CONFIG: join(options.home, "opencode.json"), OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: { "opencode.json": JSON.stringify(configuration(api, options)) },
  });
}

function argumentsFor(api: OpencodeApi, options: LaunchOptions): readonly string[] {
  const { prompt, url, modelId, isContinued, isPlanning = false } = options;
  const model = url === undefined ? `${api.provider}/${api.modelId}` : `${PROVIDER}/${modelId}`;
  return [
    "run",
    "--auto",
    "-m",
    model,
    ...(isPlanning ? ["--agent", "plan"] : []),
    ...(isContinued ? ["--continue"] : []),
    prompt,
  ];
}

function configuration({ npm, basePath, provider: ownProvider }: OpencodeApi, options: LaunchOptions) {
  const { url, apiKey, modelId, believedWindowTokens = WINDOW_TOKENS } = options;
  const model = { name: modelId, tool_call: true, limit: { context: believedWindowTokens, output: 8_192 } };
  const own = { npm, name: PROVIDER, models: { [modelId]: model } };
  const provider =
    url === undefined
      ? { [ownProvider]: { options: { apiKey } } }
      : { [PROVIDER]: { ...own, options: { baseURL: `${url}${basePath}`, apiKey } } };
  return { autoupdate: false, share: "disabled", permission: { bash: "allow", edit: "allow" }, provider };
}
