import { countTextTokens, type Message } from "palimpsest";
import { createRecallIndex } from "palimpsest/core";
import { textOf } from "./chat.ts";

/** A stretch of a message's text that a search shows. */
export interface Shown {
  readonly messageIndex: number;
  readonly text: string;
}

/** A way to answer questions about one conversation: what it shows for a query within a budget, best first. */
export interface Search {
  readonly name: string;
  prepare(messages: readonly Message[]): (query: string, budgetTokens: number) => readonly Shown[];
}

const recall: Search = {
  name: "recall",
  prepare(messages) {
    const index = createRecallIndex(messages, { scope: "all" });
    return (query, budgetTokens) => index.recall(query, { budgetTokens });
  },
};

/** As in textbooks: small letters, words, k1 1.2, b 0.75; whole messages without headings, as many as fit. */
function plainBm25(name: string, isSearched: (message: Message) => boolean): Search {
  return {
    name,
    prepare(messages) {
      const rank = createBm25(messages, isSearched);
      const tokens = messages.map((message) => countTextTokens(`${textOf(message)}\n`));
      return (query, budgetTokens) => whatFits(rank(query), { messages, tokens, budgetTokens });
    },
  };
}

const keepLast: Search = {
  name: "keep-last",
  prepare(messages) {
    const tokens = messages.map((message) => countTextTokens(`${textOf(message)}\n`));
    const newest = messages.map((_, at) => at).toReversed();
    return (_, budgetTokens) => whatFits(newest, { messages, tokens, budgetTokens, isStrict: true });
  },
};

export const SEARCHES: readonly Search[] = [
  recall,
  plainBm25("plain BM25", () => true),
  plainBm25("BM25, user messages", ({ role }) => role === "user"),
  keepLast,
];

interface Fitting {
  readonly messages: readonly Message[];
  readonly tokens: readonly number[];
  readonly budgetTokens: number;
  /** Ends at the first that does not fit. */
  readonly isStrict?: boolean;
}

export function whatFits(
  ordered: readonly number[],
  { messages, tokens, budgetTokens, isStrict }: Fitting,
): readonly Shown[] {
  const shown: Shown[] = [];
  let left = budgetTokens;
  for (const messageIndex of ordered) {
    const cost = tokens[messageIndex] ?? 0;
    const message = messages[messageIndex];
    if (message === undefined) continue;
    if (cost > left) {
      if (isStrict) break;
      continue;
    }
    left -= cost;
    shown.push({ messageIndex, text: textOf(message) });
  }
  return shown;
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;

function createBm25(
  messages: readonly Message[],
  isSearched: (message: Message) => boolean,
): (query: string) => readonly number[] {
  const postings = new Map<string, Map<number, number>>();
  const lengths = messages.map(() => 0);
  let searched = 0;
  for (const [at, message] of messages.entries()) {
    if (!isSearched(message)) continue;
    searched++;
    for (const word of wordsOf(textOf(message))) {
      lengths[at] = (lengths[at] ?? 0) + 1;
      const counts = postings.get(word) ?? new Map<number, number>();
      counts.set(at, (counts.get(at) ?? 0) + 1);
      postings.set(word, counts);
    }
  }
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, searched);
  return (query) => {
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(query))) {
      const counts = postings.get(word);
      if (counts === undefined) continue;
      const rarity = Math.log1p((searched - counts.size + 0.5) / (counts.size + 0.5));
      for (const [at, count] of counts) {
        const length = (lengths[at] ?? 0) / meanLength;
        const gain =
          (rarity * count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length));
        scores.set(at, (scores.get(at) ?? 0) + gain);
      }
    }
    return [...scores]
      .toSorted(([one, score], [other, otherScore]) => otherScore - score || other - one)
      .map(([at]) => at);
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
