import type { Agent } from "../agent.ts";

/** One of the APIs that it speaks. */
interface CopilotApi {
  /** Below the origin. */
  readonly basePath: string;
  /** Its variables that choose it. */
  readonly choice: Readonly<Record<string, string>>;
}

const MESSAGES = { basePath: "", choice: { COPILOT_PROVIDER_TYPE: "anthropic" } };
const RESPONSES = openAi("responses");
const CHAT = openAi("completions");

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
  delegates: {
    tool: "task",
    input: { name: "reader", description: "reads a note", agent_type: "general-purpose", mode: "sync" },
  },
  layout: {
    guide: ".github/copilot-instructions.md",
    nestedGuide: (folder) => ({ path: `${folder}/AGENTS.md` }),
    skills: ".github/skills",
    agentType: (name) => `.github/agents/${name}.agent.md`,
    planMarker: /<plan_mode>/,
  },
  launch: launchOn(RESPONSES),
};

/** There it asks for a reply of 128,000 tokens, which OpenAI takes from the window. */
export const copilotOnChat: Agent = {
  ...copilot,
  name: "Copilot CLI on Chat",
  // It sends a field of its own with each result then, which OpenAI refuses.
  canContinueAfterTools: false,
  launch: launchOn(CHAT),
};

export const copilotOnMessages: Agent = {
  ...copilot,
  name: "Copilot CLI on Messages",
  modelId: "claude-sonnet-4-5",
  launch: launchOn(MESSAGES),
};

function openAi(wireApi: string): CopilotApi {
  return { basePath: "/v1", choice: { COPILOT_PROVIDER_TYPE: "openai", COPILOT_PROVIDER_WIRE_API: wireApi } };
}

function launchOn({ basePath, choice }: CopilotApi): Agent["launch"] {
  return ({ prompt, url, apiKey, modelId, isContinued, isPlanning = false, believedWindowTokens = 400_000 }) => ({
    arguments: [
      "-p",
      prompt,
      "--allow-all",
      "--no-auto-update",
      "--no-ask-user",
      "--model",
      modelId,
      ...(isPlanning ? ["--mode", "plan"] : []),
      ...(isContinued ? ["--continue"] : []),
    ],
    environment: {
      ...(url === undefined ? {} : { COPILOT_PROVIDER_BASE_URL: `${url}${basePath}` }),
      ...choice,
      COPILOT_PROVIDER_API_KEY: apiKey,
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(believedWindowTokens),
      COPILOT_OFFLINE: "true",
    },
  });
}
