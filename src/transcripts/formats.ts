import type { TranscriptFormat } from "../core/transcript/transcript.ts";
import { anthropicFormat } from "./anthropic/index.ts";
import { claudeCodeFormat } from "./claude-code/index.ts";
import { clineSdkFormat } from "./cline-sdk/index.ts";
import { codexFormat } from "./codex/index.ts";
import { copilotCliFormat } from "./copilot-cli/index.ts";
import { geminiFormat } from "./gemini/index.ts";
import { geminiCliFormat } from "./gemini-cli/index.ts";
import { geminiCliJsonlFormat } from "./gemini-cli-jsonl/index.ts";
import { miniSweAgentFormat } from "./mini-swe-agent/index.ts";
import { openaiFormat, openaiJsonlFormat } from "./openai/index.ts";
import { opencodeFormat } from "./opencode/index.ts";
import { openhandsFormat, openhandsOutputFormat } from "./openhands/index.ts";
import { piFormat } from "./pi/index.ts";
import { rooFormat, rooUiFormat } from "./roo/index.ts";
import { sweAgentFormat } from "./swe-agent/index.ts";

/** Every format that can be read, in the order in which they are tried: strict ones before those that accept almost any list of messages. */
export const TRANSCRIPT_FORMATS: readonly TranscriptFormat[] = [
  claudeCodeFormat,
  codexFormat,
  copilotCliFormat,
  piFormat,
  geminiCliJsonlFormat,
  geminiCliFormat,
  opencodeFormat,
  clineSdkFormat,
  sweAgentFormat,
  miniSweAgentFormat,
  openhandsFormat,
  openhandsOutputFormat,
  rooUiFormat,
  rooFormat,
  geminiFormat,
  anthropicFormat,
  openaiFormat,
  openaiJsonlFormat,
];
