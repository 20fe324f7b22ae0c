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
  layout: {
    guide: "QWEN.md",
    nestedGuide: (folder) => ({
      path: `.qwen/rules/${folder}.md`,
      head: ["---", "paths:", `  - "${folder}/**"`, "---", ""],
    }),
    skills: ".qwen/skills",
    agentType: (name) => `.qwen/agents/${name}.md`,
    planMarker: /Plan mode is active/,
  },
  launch: ({ prompt, url, apiKey, modelId, isContinued, isPlanning = false, believedWindowTokens = 400_000 }) => ({
    arguments: [
      "-p",
      prompt,
      ...(isPlanning ? ["--approval-mode", "plan"] : ["--yolo"]),
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
