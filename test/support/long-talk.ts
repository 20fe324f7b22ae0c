import { effectiveView } from "../../src/core/message/effective-view.ts";
import type { Message } from "../../src/core/message/message.ts";
import { countMessagesTokens, countMessageTokens } from "../../src/core/tokens/count-messages.ts";
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";
import { assistant, call, log, result, user } from "./messages.ts";

/** Text of about so many tokens, told apart by its first word. */
export function words(tokens: number, name = "text"): string {
  return `${name}${" tide".repeat(Math.max(0, tokens - 2))} end`;
}

/** A log m0 … of plain talk, each message of about `tokensEach`; the first and the last are the user's if `length` is odd. */
export function longTalk(length: number, tokensEach: number): readonly Message[] {
  const speak = (index: number) =>
    (index % 2 === 0 ? user : assistant)(words(tokensEach, index % 2 === 0 ? `ask${index}` : `reply${index}`));
  return log(...Array.from({ length }, (_, index) => speak(index)));
}

/** A log of one prompt and `calls` tool calls with their results, each result of about `tokensEach`. */
export function toolLoop(calls: number, tokensEach: number): readonly Message[] {
  const steps = Array.from({ length: calls }, (_, index) => [
    assistant(call(`t${index}`, "read_file", { path: `src/part${index}.ts` })),
    user(result(`t${index}`, words(tokensEach, `part${index}`))),
  ]);
  return log(user("Fix the rotation of keys in src/auth/rotate.ts."), ...steps.flat());
}

/** What a caller that counts as we do reports: the prompt without its last message. */
export function totalTokens(messages: readonly Message[], systemPrompt: string): number {
  const view = effectiveView(messages);
  const last = view.at(-1);
  return (
    countTextTokens(systemPrompt) + countMessagesTokens(view) - (last === undefined ? 0 : countMessageTokens(last))
  );
}

/** Options of `manageContext` besides the conversation and the model: up to 24,800 tokens are allowed, 24,000 trigger. */
export const SETTINGS = {
  contextWindow: 32_000,
  maxTokens: 4_000,
  autoCondenseContext: true,
  autoCondenseContextPercent: 75,
  systemPrompt: "You help.",
  taskId: "task",
  profileThresholds: {},
  currentProfileId: "default",
};
