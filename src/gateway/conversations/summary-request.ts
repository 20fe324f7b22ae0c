import type { Message } from "../../core/message/message.ts";

/** How agents ask for a summary of their history, with all their tools and in the middle of it. */
const WORDINGS: readonly RegExp[] = [
  // Claude Code
  /CRITICAL: Respond with TEXT ONLY/,
  // Codex
  /CONTEXT CHECKPOINT COMPACTION/,
  // Gemini CLI and those made of it
  /<state_snapshot>/,
  // Roo Code, Cline, Continue and others
  /(?:create|provide) a (?:detailed|comprehensive|concise) summary of (?:the|our|this) conversation/i,
];

/** Longer instructions are not read to their end. */
const READ_LENGTH = 20_000;

/**
 * Whether a conversation ends with the agent's wish for a summary of it. That is no part of it: should a person say such words, they are
 * kept with the request after this one.
 */
export function asksForSummary(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== "user") return false;
  const texts = textsOf(last).map((text) => text.slice(0, READ_LENGTH));
  return texts.some((text) => WORDINGS.some((wording) => wording.test(text)));
}

/** What was said, not what tools returned. */
function textsOf({ content }: Message): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" && "text" in block ? [String(block.text)] : []));
}
