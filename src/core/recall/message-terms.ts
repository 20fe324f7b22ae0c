import type { Message } from "../message/message.ts";
import { blockTexts } from "./passages/block-texts.ts";
import { tokenizeForRecall } from "./terms/tokenize-for-recall.ts";

/** The distinct terms that a message is found by. */
export function messageTerms({ content }: Message): readonly string[] {
  const texts = typeof content === "string" ? [content] : content.flatMap(blockTexts);
  return [...new Set(texts.flatMap(tokenizeForRecall))];
}

/** Longer runs are no words: messages have no such terms. */
const WORD = /\b[A-Za-z]{4,256}\b/g;

/** The distinct terms to look for messages with that a query may be about. */
export function searchTerms(query: string): readonly string[] {
  // Identifiers are indexed as they are, words by their stem: `getusers` may mean either.
  const asTheyAre = [...query.matchAll(WORD)].map(([word]) => word.toLowerCase());
  return [...new Set([...tokenizeForRecall(query), ...asTheyAre])];
}
