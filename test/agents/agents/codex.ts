import { join } from "node:path";
import type { Agent } from "../agent.ts";

export const codex: Agent = {
  name: "Codex",
  packageName: "@openai/codex",
  version: "0.169.0",
  command: "codex",
  modelId: "gpt-5.5",
  tightWindowTokens: 30_000,
  givesUpOn: ["429"],
  canContinueAfterTools: true,
  summarises: { type: "window", tokens: 24_000 },
  delegates: undefined,
  layout: {
    guide: "AGENTS.md",
    // Its model is told to look for them itself.
    nestedGuide: undefined,
    skills: ".agents/skills",
    askForSkill: (name) => `Use $${name} for it.`,
    agentType: undefined,
    planMarker: undefined,
  },
  launch: ({ prompt, url, apiKey, home, modelId, isContinued, believedWindowTokens }) => ({
    arguments: [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      ...(url === undefined ? [] : ["-c", 'model_provider="scripted"', "-c", providerAt(url)]),
      ...(believedWindowTokens === undefined ? [] : ["-c", `model_context_window=${believedWindowTokens}`]),
      "-m",
      modelId,
      ...(isContinued ? ["resume", "--last"] : []),
      prompt,
    ],
    environment: { CODEX_HOME: join(home, ".codex"), OPENAI_API_KEY: apiKey },
    files: { ".codex/config.toml": "check_for_update_on_startup = false\n[analytics]\nenabled = false\n" },
  }),
};

function providerAt(url: string): string {
  return `model_providers.scripted={name="scripted",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;
}

/** Models for which it declares its tools as an item of the input, and takes programs in place of calls. */
export const codexWithPrograms: Agent = { ...codex, name: "Codex with programs", modelId: "gpt-6.1-sol" };
