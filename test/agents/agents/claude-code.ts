import type { Agent } from "../agent.ts";

export const claudeCode: Agent = {
  name: "Claude Code",
  packageName: "@anthropic-ai/claude-code",
  version: "2.1.325",
  command: "claude",
  modelId: "claude-sonnet-4-5",
  tightWindowTokens: 32_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  summarises: { type: "prompt", prompt: "/compact" },
  delegates: { tool: "Agent", input: { description: "reads a note", subagent_type: "general-purpose" } },
  launch: ({ prompt, url, apiKey, modelId, isContinued }) => ({
    arguments: [
      "-p",
      prompt,
      "--dangerously-skip-permissions",
      "--model",
      modelId,
      ...(isContinued ? ["--continue"] : []),
    ],
    environment: {
      ...(url === undefined ? {} : { ANTHROPIC_BASE_URL: url }),
      ANTHROPIC_API_KEY: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // As root it runs without questions only where it is told that this is a sandbox.
      IS_SANDBOX: "1",
    },
  }),
};

/** Models for which it sends system messages between the others. */
export const claudeCodeWithSystemMessages: Agent = {
  ...claudeCode,
  name: "Claude Code with system messages",
  modelId: "claude-opus-5",
};
