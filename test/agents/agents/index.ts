import type { Agent } from "../agent.ts";
import { claudeCode, claudeCodeWithSystemMessages } from "./claude-code.ts";
import { codex, codexWithPrograms } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

/** The agents that are tested: all four APIs, and both ways in which two of them write a conversation. */
export const AGENTS: readonly Agent[] = [
  claudeCode,
  claudeCodeWithSystemMessages,
  codex,
  codexWithPrograms,
  gemini,
  qwen,
  opencode,
  pi,
  copilot,
];
