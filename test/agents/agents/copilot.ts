import type { Agent } from "../agent.ts";

export const copilot: Agent = {
  name: "Copilot CLI",
  packageName: "@github/copilot",
  version: "1.0.102",
  command: "copilot",
  modelId: "gpt-5.5",
  tightWindowTokens: 32_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  summarises: { type: "window", tokens: 24_000 },
  delegates: undefined,
  launch: ({ prompt, url, apiKey, modelId, isContinued, believedWindowTokens = 400_000 }) => ({
    arguments: [
      "-p",
      prompt,
      "--allow-all",
      "--no-auto-update",
      "--no-ask-user",
      "--model",
      modelId,
      ...(isContinued ? ["--continue"] : []),
    ],
    environment: {
      ...(url === undefined ? {} : { COPILOT_PROVIDER_BASE_URL: `${url}/v1` }),
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_WIRE_API: "responses",
      COPILOT_PROVIDER_API_KEY: apiKey,
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(believedWindowTokens),
      COPILOT_OFFLINE: "true",
    },
  }),
};
