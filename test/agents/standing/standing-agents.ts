import type { Agent } from "../agent.ts";
import { claudeCode, claudeCodeWithSystemMessages } from "../agents/claude-code.ts";
import { codex, codexWithPrograms } from "../agents/codex.ts";
import { copilot } from "../agents/copilot.ts";
import { gemini } from "../agents/gemini.ts";
import { opencode, opencodeOnMessages } from "../agents/opencode.ts";
import { qwen } from "../agents/qwen.ts";

/** The agents whose standing context is measured. */
export const STANDING_AGENTS: readonly Agent[] = [
  claudeCode,
  claudeCodeWithSystemMessages,
  codex,
  codexWithPrograms,
  gemini,
  qwen,
  opencode,
  opencodeOnMessages,
  copilot,
];
