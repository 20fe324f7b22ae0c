import type { Message } from "../../core/message/message.ts";

/** How agents ask for a summary of their history, with all their tools and in the middle of it. */
const WORDINGS: readonly RegExp[] = [
  // Claude Code
  /CRITICAL: Respond with TEXT ONLY/,
  // Codex
  /CONTEXT CHECKPOINT COMPACTION/,
  // Gemini CLI and those made of it
  /<state_snapshot>/,
  // Roo Code, Cline and others
  /create a (?:detailed|comprehensive) summary of (?:the|our|this) conversation/i,
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
  const text = lastText(last).slice(0, READ_LENGTH);
  return WORDINGS.some((wording) => wording.test(text));
}

function lastText({ content }: Message): string {
  if (typeof content === "string") return content;
  const last = content.at(-1);
  return last !== undefined && "text" in last && typeof last.text === "string" ? last.text : "";
}
