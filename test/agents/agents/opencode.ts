import { join } from "node:path";
import type { Agent, LaunchOptions } from "../agent.ts";

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

function argumentsFor({ prompt, modelId, isContinued }: LaunchOptions): readonly string[] {
  return ["run", "--auto", "-m", `scripted/${modelId}`, ...(isContinued ? ["--continue"] : []), prompt];
}

function configuration({ url, apiKey, modelId, believedWindowTokens = 400_000 }: LaunchOptions) {
  const model = { name: modelId, tool_call: true, limit: { context: believedWindowTokens, output: 8_192 } };
  return {
    autoupdate: false,
    share: "disabled",
    permission: { bash: "allow", edit: "allow" },
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "scripted",
        options: { baseURL: `${url}/v1`, apiKey },
        models: { [modelId]: model },
      },
    },
  };
}
