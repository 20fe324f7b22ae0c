import type { Message } from "../../message/message.ts";
import { type MessagePart, messageParts } from "../view/message-parts.ts";

/** Where an identifier is used: a message, and a part of it. */
export interface UsePlace {
  readonly index: number;
  readonly part: number;
}

/** What an agent would ask about is what it said last. */
const MAX_QUERY_CHARACTERS = 800;

/**
 * The agent's own words right before it used an identifier, without the identifier: those before it in the same message, or
 * where there are none, what it said last before that. Empty where it never said a thing.
 */
export function recallQuery(messages: readonly Message[], { index, part }: UsePlace, value: string): string {
  const message = messages[index];
  if (message === undefined) return "";
  const parts = messageParts(message);
  const used = parts[part];
  const inSameText = used !== undefined && !used.isCall ? wordsBefore(used, value) : "";
  const here = [...parts.slice(0, part).map(spokenText), inSameText].join("\n");
  return asQuery(here, value) || asQuery(previousWords(messages, index), value);
}

function wordsBefore(part: MessagePart, value: string): string {
  const text = part.texts.join("\n");
  const at = text.indexOf(value);
  return at < 0 ? "" : text.slice(0, at);
}

function spokenText({ author, isCall, texts }: MessagePart): string {
  return (author === "agent" || author === "thought") && !isCall ? texts.join("\n") : "";
}

function previousWords(messages: readonly Message[], before: number): string {
  for (let index = before - 1; index >= 0; index--) {
    const message = messages[index];
    const text = message === undefined ? "" : messageParts(message).map(spokenText).join("\n");
    if (text.trim() !== "") return text;
  }
  return "";
}

function asQuery(text: string, value: string): string {
  return text.replaceAll(value, " ").slice(-MAX_QUERY_CHARACTERS).trim();
}
