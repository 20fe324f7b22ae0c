/** Session files of coding agents, read into our messages and written back. */

export type { JsonRecord } from "../core/json/read-json.ts";
export type * from "../core/message/message-types.ts";
export type {
  Transcript,
  TranscriptCompaction,
  TranscriptProblem,
  TranscriptUsage,
} from "../core/transcript/transcript.ts";
export { type AnthropicConversation, writeAnthropic } from "./anthropic/write.ts";
export { writeClaudeCode } from "./claude-code/write.ts";
export { writeCodex } from "./codex/write.ts";
export { type GeminiConversation, type GeminiTurn, writeGemini } from "./gemini/write.ts";
export { writeOpenAi } from "./openai/write.ts";
export { type ReadTranscriptOptions, readTranscript } from "./read-transcript.ts";
export { type NamedTranscript, readTranscriptFolder, type TranscriptFolder } from "./read-transcript-folder.ts";
export { writeRoo } from "./roo/write.ts";
