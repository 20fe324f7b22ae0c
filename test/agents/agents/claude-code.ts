import type { Agent } from "../agent.ts";

export const claudeCode: Agent = {
  name: "Claude Code",
  packageName: "@anthropic-ai/claude-code",
  version: "2.1.327",
  command: "claude",
  modelId: "claude-sonnet-4-5",
  tightWindowTokens: 32_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  summarises: { type: "prompt", prompt: "/compact" },
  delegates: {
    tool: "Agent",
    input: { description: "reads a note", subagent_type: "general-purpose" },
    isParentNamed: true,
  },
  layout: {
    guide: "CLAUDE.md",
    nestedGuide: (folder) => ({ path: `${folder}/CLAUDE.md` }),
    skills: ".claude/skills",
    agentType: (name) => `.claude/agents/${name}.md`,
    planMarker: /Plan mode is active/,
  },
  launch: ({ prompt, url, apiKey, modelId, isContinued, isPlanning = false, believedWindowTokens }) => ({
    arguments: [
      "-p",
      prompt,
      ...(isPlanning ? ["--permission-mode", "plan"] : ["--dangerously-skip-permissions"]),
      "--model",
      modelId,
      ...(isContinued ? ["--continue"] : []),
    ],
    environment: {
      ...(url === undefined ? {} : { ANTHROPIC_BASE_URL: url }),
      ANTHROPIC_API_KEY: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      ...(believedWindowTokens === undefined ? {} : summarisesAt(believedWindowTokens)),
      // As root it runs without questions only where it is told that this is a sandbox.
      IS_SANDBOX: "1",
    },
  }),
};

/** It takes no smaller window than this, but summarises at any share of it. */
const SMALLEST_WINDOW_TOKENS = 100_000;

function summarisesAt(tokens: number): Readonly<Record<string, string>> {
  const windowTokens = Math.max(tokens, SMALLEST_WINDOW_TOKENS);
  return {
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(windowTokens),
    CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: String(Math.floor((100 * tokens) / windowTokens)),
  };
}

/** Models for which it sends system messages between the others. */
export const claudeCodeWithSystemMessages: Agent = {
  ...claudeCode,
  name: "Claude Code with system messages",
  modelId: "claude-opus-5",
};
