import type { Agent } from "../agent.ts";

/** The only one that takes its replies whole, and not as a stream. */
export const grok: Agent = {
  name: "grok-cli",
  packageName: "@vibe-kit/grok-cli",
  version: "0.0.34",
  command: "grok",
  modelId: "grok-code-fast-1",
  tightWindowTokens: 16_000,
  givesUpOn: ["cut"],
  exitsWithFailure: false,
  canContinue: false,
  canContinueAfterTools: false,
  summarises: undefined,
  delegates: undefined,
  launch: ({ prompt, url, apiKey, modelId }) => ({
    arguments: ["-p", prompt, "-m", modelId],
    environment: { GROK_API_KEY: apiKey, ...(url === undefined ? {} : { GROK_BASE_URL: `${url}/v1` }) },
  }),
};
