import type { Message } from "../../core/message/message.ts";

/** How agents ask for a summary of their history, with all their tools and in the middle of it. */
const WORDINGS: readonly RegExp[] = [
  // Claude Code
  /CRITICAL: Respond with TEXT ONLY/,
  // Codex
  /CONTEXT CHECKPOINT COMPACTION/,
  // Gemini CLI and those made of it
  /<state_snapshot>/,
  // Qwen Code
  /summarizes a conversation when its context window is about to overflow/,
  // opencode, for the first time and again, and before that
  /Create a new anchored summary from the conversation history/,
  /summary of the conversation before the <conversation> above/,
  /detailed prompt for continuing our conversation/,
  // Cline
  /Summarize this session for continuation/,
  // pi: all of it, what is new in it, the part before a turn, a branch
  /Create a structured context checkpoint summary/,
  /NEW conversation messages to incorporate into the existing summary/,
  /Create a concise checkpoint of the user's request/,
  /Create a structured summary of this conversation branch/,
  // goose
  /summarize the conversation history provided in the system prompt/,
  // Copilot CLI, Crush, Roo Code, Continue and others
  /(?:create|provide) a (?:detailed|comprehensive|concise) summary of (?:the|our|this) conversation/i,
];

/** Of longer texts, the beginning and the end are read: some agents put the conversation before their instruction, in one text. */
const READ_LENGTH = 20_000;

/**
 * Whether a conversation ends with the agent's request for a summary. That message is no part of the conversation: should a person have
 * written it, it is recorded with the next request.
 */
export function asksForSummary(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== "user") return false;
  const texts = textsOf(last).flatMap((text) =>
    text.length <= READ_LENGTH ? [text] : [text.slice(0, READ_LENGTH), text.slice(-READ_LENGTH)],
  );
  return texts.some((text) => WORDINGS.some((wording) => wording.test(text)));
}

/** What was said, not what tools returned. */
function textsOf({ content }: Message): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" && "text" in block ? [String(block.text)] : []));
}
