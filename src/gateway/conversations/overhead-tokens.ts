import { hash } from "node:crypto";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";

const MOST_PROMPTS = 100;
const counts = new Map<string, number>();

/** What is sent beside the conversation, as text. */
export function besideText({ systemPrompt, tools }: WireRequest): string {
  return `${systemPrompt}\n${JSON.stringify(tools)}`;
}

/** Our count of system prompt and tools. Agents send the same ones again and again: they are counted once. */
export function overheadTokens(text: string): number {
  const key = hash("sha256", text, "base64");
  const known = counts.get(key);
  if (known !== undefined) return known;
  const tokens = countTextTokens(text);
  counts.set(key, tokens);
  const [oldest] = counts.keys();
  if (counts.size > MOST_PROMPTS && oldest !== undefined) counts.delete(oldest);
  return tokens;
}
