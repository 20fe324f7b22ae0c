import { countMessagesTokens } from "palimpsest/core";
import { normalize } from "../chats/bfcl.ts";
import type { Chat } from "../chats/chat.ts";
import { VIEW_STRATEGIES, viewText } from "./view-strategies.ts";

/** Prints for each strategy which share of the words that give the answers its view shows word for word. */
export function printAnswersShown(title: string, { messages, questions }: Chat, budgetTokens: number): void {
  const tokens = countMessagesTokens(messages);
  console.log(`\n${title}, ${tokens} tokens, budget ${budgetTokens}: ${questions.length} questions`);
  for (const strategy of VIEW_STRATEGIES) {
    const view = normalize(viewText(strategy.compact(messages, budgetTokens)));
    const shares = questions.map(({ sources = [] }) => {
      return sources.filter((source) => view.includes(normalize(source))).length / Math.max(1, sources.length);
    });
    const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
    console.log(`${strategy.name.padEnd(22)}answers shown ${(100 * mean).toFixed(1)} %`);
  }
}
