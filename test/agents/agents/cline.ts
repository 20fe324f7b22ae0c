import type { Agent, LaunchOptions } from "../agent.ts";
import { DELEGATED_PROMPT } from "../scripted-model.ts";

/** One of the APIs that it speaks. */
interface ClineApi {
  /** Its own name for who speaks it. */
  readonly provider: string;
  /** Below the origin. */
  readonly basePath: string;
}

const CHAT = { provider: "openai-compatible", basePath: "/v1" };
const MESSAGES = { provider: "anthropic", basePath: "/v1" };
const GEMINI = { provider: "gemini", basePath: "/v1beta" };

export const cline: Agent = {
  name: "Cline",
  packageName: "cline",
  version: "3.0.65",
  command: "cline",
  modelId: "scripted-model",
  tightWindowTokens: 24_000,
  givesUpOn: [],
  canContinue: false,
  canContinueAfterTools: false,
  summarises: { type: "window", tokens: 24_000 },
  delegates: { tool: "spawn_agent", input: { systemPrompt: "You read notes.", task: DELEGATED_PROMPT } },
  isPointedByRun: false,
  launch: launchOn(CHAT),
};

export const clineOnMessages: Agent = {
  ...cline,
  name: "Cline on Messages",
  modelId: "claude-sonnet-4-5",
  givesUpOn: ["cut"],
  launch: launchOn(MESSAGES),
};

/** With models before Gemini 3 it offers no tools of its own. */
export const clineOnGemini: Agent = {
  ...cline,
  name: "Cline on Gemini",
  modelId: "gemini-3-pro-preview",
  launch: launchOn(GEMINI),
};

function launchOn(api: ClineApi): Agent["launch"] {
  return (options) => ({
    arguments: [options.prompt],
    environment: {
      CLINE_NO_AUTO_UPDATE: "1",
      // Else a program of its own stays behind, at a port that all homes share.
      CLINE_SESSION_BACKEND_MODE: "local",
    },
    files: { ".cline/data/settings/providers.json": JSON.stringify(settings(api, options)) },
  });
}

function settings({ provider, basePath }: ClineApi, options: LaunchOptions) {
  const { url = "http://127.0.0.1", apiKey, modelId, believedWindowTokens } = options;
  const chosen = { provider, apiKey, model: modelId, baseUrl: `${url}${basePath}` };
  // Where it is told the window, it asks for replies of 32,000 tokens, which OpenAI takes from the window.
  const limits = believedWindowTokens === undefined ? {} : { contextWindow: believedWindowTokens };
  const entry = { settings: { ...chosen, ...limits }, tokenSource: "manual" };
  const providers = { [provider]: { ...entry, updatedAt: "2026-01-01T00:00:00.000Z" } };
  return { version: 1, lastUsedProvider: provider, modes: {}, providers };
}
