import type { Agent } from "../agent.ts";
import { claudeCode, claudeCodeWithSystemMessages } from "./claude-code.ts";
import { cline, clineOnGemini, clineOnMessages } from "./cline.ts";
import { codex, codexWithPrograms } from "./codex.ts";
import { continueAgent, continueOnMessages, continueOnResponses } from "./continue.ts";
import { copilot, copilotOnChat, copilotOnMessages } from "./copilot.ts";
import { gemini, geminiWithSignatures } from "./gemini.ts";
import { grok } from "./grok.ts";
import { opencode, opencodeOnGemini, opencodeOnMessages, opencodeOnResponses } from "./opencode.ts";
import { pi, piOnChat, piOnGemini, piOnResponses } from "./pi.ts";
import { qwen } from "./qwen.ts";

/** The agents that are tested: on each of the APIs that they speak, and in both ways in which some of them write a conversation. */
export const AGENTS: readonly Agent[] = [
  claudeCode,
  claudeCodeWithSystemMessages,
  codex,
  codexWithPrograms,
  gemini,
  geminiWithSignatures,
  qwen,
  opencode,
  opencodeOnMessages,
  opencodeOnResponses,
  opencodeOnGemini,
  pi,
  piOnChat,
  piOnResponses,
  piOnGemini,
  copilot,
  copilotOnChat,
  copilotOnMessages,
  cline,
  clineOnMessages,
  clineOnGemini,
  continueAgent,
  continueOnResponses,
  continueOnMessages,
  grok,
];
