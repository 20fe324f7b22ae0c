import type { Agent, LaunchOptions } from "../agent.ts";

export const pi: Agent = {
  name: "pi",
  packageName: "@earendil-works/pi-coding-agent",
  version: "0.87.1",
  command: "pi",
  modelId: "claude-sonnet-4-5",
  tightWindowTokens: 20_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  summarises: undefined,
  delegates: undefined,
  launch: (options) => {
    const { prompt, url, apiKey, modelId, isContinued } = options;
    const provider = url === undefined ? "anthropic" : PROVIDER;
    const flags = ["-p", "--offline", "--provider", provider, "--model", modelId];
    return {
      arguments: [...flags, ...(isContinued ? ["--continue"] : []), prompt],
      environment: { ANTHROPIC_API_KEY: apiKey },
      files: { ".pi/agent/models.json": JSON.stringify({ providers: { [PROVIDER]: providerOf(options) } }) },
    };
  },
};

const PROVIDER = "scripted";

function providerOf({ url = "http://127.0.0.1", apiKey, modelId }: LaunchOptions) {
  const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  const model = { id: modelId, name: modelId, reasoning: false, input: ["text"], cost };
  const limits = { contextWindow: 400_000, maxTokens: 8_192 };
  return { baseUrl: url, api: "anthropic-messages", apiKey, models: [{ ...model, ...limits }] };
}
