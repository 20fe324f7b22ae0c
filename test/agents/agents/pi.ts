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
    const { prompt, modelId, isContinued } = options;
    const flags = ["-p", "--offline", "--provider", "scripted", "--model", modelId];
    return {
      arguments: [...flags, ...(isContinued ? ["--continue"] : []), prompt],
      environment: {},
      files: { ".pi/agent/models.json": JSON.stringify({ providers: { scripted: provider(options) } }) },
    };
  },
};

function provider({ url, apiKey, modelId }: LaunchOptions) {
  const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  const model = { id: modelId, name: modelId, reasoning: false, input: ["text"], cost };
  const limits = { contextWindow: 400_000, maxTokens: 8_192 };
  return { baseUrl: url, api: "anthropic-messages", apiKey, models: [{ ...model, ...limits }] };
}
