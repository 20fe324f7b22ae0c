import type { Message } from "../message/message.ts";
import { FUNCTION_WORDS } from "../text/function-words.ts";
import { createTermTable } from "./index/term-table.ts";
import { blockTexts } from "./passages/block-texts.ts";
import { hashTerm } from "./passages/term-list.ts";
import { scanTerms } from "./terms/scan-terms.ts";
import { termText, tokenizeForRecall } from "./terms/tokenize-for-recall.ts";

/** A small table, as each message has its own, and most are short. */
const FEW_SLOTS = 64;

/** The distinct terms by which a message is found. */
export function messageTerms({ content }: Message): readonly string[] {
  const texts = typeof content === "string" ? [content] : content.flatMap(blockTexts);
  const table = createTermTable(FEW_SLOTS);
  const terms: string[] = [];
  for (const text of texts) {
    scanTerms(text, (term) => {
      // In a long text most terms recur: a string is made only for the first occurrence.
      if (table.intern(hashTerm(term)) === terms.length) terms.push(termText(term));
    });
  }
  return terms;
}

/** Longer runs are not indexed as terms. */
const WORD = /\b[A-Za-z]{4,256}\b/g;

const functionTerms: ReadonlySet<string> = /* @__PURE__ */ readFunctionWords();

function readFunctionWords(): ReadonlySet<string> {
  return new Set([...FUNCTION_WORDS, ...FUNCTION_WORDS.flatMap(tokenizeForRecall)]);
}

/**
 * The distinct terms of a query, for a store's index. A store ranks messages by how many of the terms they have, so function words, which every
 * long message has, are left out unless there are no others.
 */
export function searchTerms(query: string): readonly string[] {
  // Identifiers are indexed as they are, words by their stem: `getusers` may mean either.
  const asTheyAre = [...query.matchAll(WORD)].map(([word]) => word.toLowerCase());
  const terms = [...new Set([...tokenizeForRecall(query), ...asTheyAre])];
  const telling = terms.filter((term) => !functionTerms.has(term));
  return telling.length > 0 ? telling : terms;
}
