import type { Message } from "../message/message.ts";
import { messageTerms } from "../recall/message-terms.ts";
import { tokenizeForRecall } from "../recall/terms/tokenize-for-recall.ts";

export type MentionsKeyword = (message: Message) => boolean;

// The keywords of a task stay the same from turn to turn, and messages never change.
const lastAnswers = new WeakMap<Message, { readonly keywords: string; readonly isMentioned: boolean }>();

/**
 * Tells whether a message mentions one of the keywords anywhere: in what was said, called or returned. A keyword is
 * mentioned when the message has it as a term of recall, or has all the terms that it consists of.
 */
export function keywordMatcher(keywords: readonly string[]): MentionsKeyword {
  const wanted = keywords.map((keyword) => ({ term: keyword.toLowerCase(), parts: tokenizeForRecall(keyword) }));
  if (wanted.length === 0) return () => false;
  const key = JSON.stringify(keywords);
  return (message) => {
    const known = lastAnswers.get(message);
    if (known?.keywords === key) return known.isMentioned;
    const terms = new Set(messageTerms(message));
    const isMentioned = wanted.some(
      ({ term, parts }) => terms.has(term) || (parts.length > 0 && parts.every((part) => terms.has(part))),
    );
    lastAnswers.set(message, { keywords: key, isMentioned });
    return isMentioned;
  };
}
