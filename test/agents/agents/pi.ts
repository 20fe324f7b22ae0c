import type { Agent, LaunchOptions } from "../agent.ts";

/** One of the APIs that it speaks. */
interface PiApi {
  /** Its own name for it. */
  readonly api: string;
  /** Below the origin. */
  readonly basePath: string;
  /** Its own provider of that API, with the variable that holds the key. */
  readonly provider: string;
  readonly keyVariable: string;
}

const PROVIDER = "scripted";
const MESSAGES = { api: "anthropic-messages", basePath: "", provider: "anthropic", keyVariable: "ANTHROPIC_API_KEY" };
const OPENAI = { basePath: "/v1", provider: "openai", keyVariable: "OPENAI_API_KEY" };
const CHAT = { ...OPENAI, api: "openai-completions" };
const RESPONSES = { ...OPENAI, api: "openai-responses" };
const GEMINI = {
  api: "google-generative-ai",
  basePath: "/v1beta",
  provider: "google",
  keyVariable: "GEMINI_API_KEY",
};

export const pi: Agent = {
  name: "pi",
  packageName: "@earendil-works/pi-coding-agent",
  version: "0.87.1",
  command: "pi",
  modelId: "claude-sonnet-4-5",
  tightWindowTokens: 20_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  summarises: { type: "window", tokens: 32_000 },
  delegates: undefined,
  launch: launchOn(MESSAGES),
};

export const piOnChat: Agent = { ...pi, name: "pi on Chat", modelId: "gpt-5.5", launch: launchOn(CHAT) };

export const piOnResponses: Agent = { ...piOnChat, name: "pi on Responses", launch: launchOn(RESPONSES) };

export const piOnGemini: Agent = {
  ...pi,
  name: "pi on Gemini",
  modelId: "gemini-3-pro-preview",
  givesUpOn: ["529"],
  launch: launchOn(GEMINI),
};

function launchOn(api: PiApi): Agent["launch"] {
  return (options) => {
    const { prompt, url, apiKey, modelId, isContinued } = options;
    const provider = url === undefined ? api.provider : PROVIDER;
    const flags = ["-p", "--offline", "--provider", provider, "--model", modelId];
    return {
      arguments: [...flags, ...(isContinued ? ["--continue"] : []), prompt],
      environment: { [api.keyVariable]: apiKey },
      files: {
        ".pi/agent/models.json": JSON.stringify({ providers: { [PROVIDER]: providerOf(api, options) } }),
        // What it leaves as it is when it summarises; by default more than a test says.
        ".pi/agent/settings.json": JSON.stringify({ compaction: { keepRecentTokens: 4_000 } }),
      },
    };
  };
}

function providerOf({ api, basePath }: PiApi, options: LaunchOptions) {
  const { url = "http://127.0.0.1", apiKey, modelId, believedWindowTokens = 400_000 } = options;
  const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  const model = { id: modelId, name: modelId, reasoning: false, input: ["text"], cost };
  const limits = { contextWindow: believedWindowTokens, maxTokens: 8_192 };
  return { baseUrl: `${url}${basePath}`, api, apiKey, models: [{ ...model, ...limits }] };
}
