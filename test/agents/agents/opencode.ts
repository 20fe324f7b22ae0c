import { join } from "node:path";
import type { Agent, LaunchOptions } from "../agent.ts";

const PROVIDER = "scripted";

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
  delegates: { tool: "task", input: { description: "reads a note", subagent_type: "general" } },
  launch: (options) => ({
    arguments: argumentsFor(options),
    environment: { OPENCODE_CONFIG: join(options.home, "opencode.json"), OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: { "opencode.json": JSON.stringify(configuration(options)) },
  }),
};

const WINDOW_TOKENS = 400_000;

function argumentsFor({ prompt, url, modelId, isContinued }: LaunchOptions): readonly string[] {
  const model = url === undefined ? "anthropic/claude-sonnet-4-5" : `${PROVIDER}/${modelId}`;
  return ["run", "--auto", "-m", model, ...(isContinued ? ["--continue"] : []), prompt];
}

function configuration({ url, apiKey, modelId, believedWindowTokens = WINDOW_TOKENS }: LaunchOptions) {
  const model = { name: modelId, tool_call: true, limit: { context: believedWindowTokens, output: 8_192 } };
  const own = { npm: "@ai-sdk/openai-compatible", name: PROVIDER, models: { [modelId]: model } };
  const provider =
    url === undefined
      ? { anthropic: { options: { apiKey } } }
      : { [PROVIDER]: { ...own, options: { baseURL: `${url}/v1`, apiKey } } };
  return { autoupdate: false, share: "disabled", permission: { bash: "allow", edit: "allow" }, provider };
}
