import { join } from "node:path";
import type { Agent } from "../agent.ts";

export const opencode: Agent = {
  name: "opencode",
  packageName: "opencode-ai",
  version: "1.18.33",
  command: "opencode",
  modelId: "scripted-model",
  tightWindowTokens: 30_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  launch: ({ prompt, url, apiKey, home, modelId, isContinued }) => ({
    arguments: ["run", "--auto", "-m", `scripted/${modelId}`, ...(isContinued ? ["--continue"] : []), prompt],
    environment: { OPENCODE_CONFIG: join(home, "opencode.json"), OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: { "opencode.json": JSON.stringify(configuration({ url, apiKey, modelId })) },
  }),
};

function configuration({
  url,
  apiKey,
  modelId,
}: {
  readonly url: string;
  readonly apiKey: string;
  readonly modelId: string;
}) {
  const model = { name: modelId, tool_call: true, limit: { context: 400_000, output: 8_192 } };
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
