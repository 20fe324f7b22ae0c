import type { Agent } from "../agent.ts";

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

export const gemini: Agent = {
  name: "Gemini CLI",
  packageName: "@google/gemini-cli",
  version: "0.61.0",
  command: "gemini",
  modelId: "gemini-2.5-pro",
  tightWindowTokens: 28_000,
  givesUpOn: ["cut"],
  // It sends each result twice then, which Gemini refuses.
  canContinueAfterTools: false,
  summarises: undefined,
  delegates: undefined,
  layout: {
    guide: "GEMINI.md",
    nestedGuide: (folder) => ({ path: `${folder}/GEMINI.md` }),
    skills: ".gemini/skills",
    // It asks a person before it takes those of a project.
    agentType: undefined,
    planMarker: /operating in \*\*Plan Mode/,
  },
  launch: ({ prompt, url, apiKey, modelId, isContinued, isPlanning = false }) => ({
    arguments: [
      "-p",
      prompt,
      ...(isPlanning ? ["--approval-mode", "plan"] : ["--yolo"]),
      "--skip-trust",
      "-m",
      modelId,
      ...(isContinued ? ["--resume", "latest"] : []),
    ],
    environment: { GEMINI_API_KEY: apiKey, ...(url === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: url }) },
    files: { ".gemini/settings.json": JSON.stringify(SETTINGS) },
  }),
};

/** Models whose calls have ids and signatures; on others it makes up ids of its own. */
export const geminiWithSignatures: Agent = {
  ...gemini,
  name: "Gemini CLI with signatures",
  modelId: "gemini-3-pro-preview",
};
