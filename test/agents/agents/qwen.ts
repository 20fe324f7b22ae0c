import type { Agent } from "../agent.ts";

export const qwen: Agent = {
  name: "Qwen Code",
  packageName: "@qwen-code/qwen-code",
  version: "0.24.4",
  command: "qwen",
  modelId: "qwen3-coder-plus",
  // It asks for a reply of 32,768 tokens, which OpenAI takes from the window.
  tightWindowTokens: 60_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  summarises: { type: "window", tokens: 60_000 },
  delegates: { tool: "agent", input: { description: "reads a note", subagent_type: "general-purpose" } },
  launch: ({ prompt, url, apiKey, modelId, isContinued, believedWindowTokens = 400_000 }) => ({
    arguments: [
      "-p",
      prompt,
      "--yolo",
      "--auth-type",
      "openai",
      ...(url === undefined ? [] : ["--openai-base-url", `${url}/v1`]),
      "-m",
      modelId,
      ...(isContinued ? ["--continue"] : []),
    ],
    environment: { OPENAI_API_KEY: apiKey },
    files: {
      ".qwen/settings.json": JSON.stringify({
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        model: { generationConfig: { contextWindowSize: believedWindowTokens } },
      }),
    },
  }),
};
