import type { LogBlock } from "../log-blocks.ts";
import { type ChatLine, type ChatReader, readSentences, readTurns } from "./chat-lines.ts";
import { CHAT_WORTH } from "./chat-worth.ts";

/** What the terms of a conversation are worth. */
export interface TermWeights {
  readonly read: ChatReader;
  /** By key; of the keys that were asked for. */
  readonly weights: ReadonlyMap<string, number>;
  /** What a sentence of this block is worth, in comparison with one of the person's. */
  readonly factorOf: (block: LogBlock) => number;
  /** The keys of a sentence's terms in the block at this place: for the whole conversation, and for the region of it. */
  readonly keysOf: (line: ChatLine, at: number) => readonly string[];
  /** What these keys are worth together, as long as no quoted sentence holds one of them. */
  readonly mostWorth: (line: ChatLine, at: number) => number;
}

/** A conversation goes from topic to topic: what was named in one is told anew in another. */
const REGIONS = 16;

/** A rare term tells more: one that stands everywhere tells what the talk is about, which is known. */
export function weighTerms(blocks: readonly LogBlock[]): TermWeights {
  const said = blocks.filter(isSaid);
  const isTalk = !isAnswering(said);
  const read = isTalk ? readTurns : readSentences;
  const terms = countTerms(said, read);
  const assistantFactor = isTalk ? 1 : CHAT_WORTH.assistant;
  const factorOf = ({ source }: LogBlock) => (source === "assistant" ? assistantFactor : 1);
  const factorAt = (at: number) => {
    const block = blocks[at];
    return block === undefined ? 1 : factorOf(block);
  };
  const weights = new Map<string, number>();
  const mostWorth = (line: ChatLine, at: number) => {
    let worth = 0;
    for (const term of line.identifiers) {
      const { weight, messages } = terms.get(term) ?? UNKNOWN;
      worth += messages === 1 ? weight : weight * (1 + CHAT_WORTH.region);
    }
    return worth * factorAt(at);
  };
  const keysOf = (line: ChatLine, at: number) => {
    const factor = factorAt(at);
    const region = Math.floor((REGIONS * at) / blocks.length);
    const keys: string[] = [];
    for (const term of line.identifiers) {
      const { weight, messages } = terms.get(term) ?? UNKNOWN;
      // What a model said of a thing does not stand for what the person said of it.
      const key = factor === 1 ? term : `assistant ${term}`;
      weights.set(key, factor * weight);
      keys.push(key);
      if (messages === 1) continue;
      const regional = `${key}@${region}`;
      weights.set(regional, factor * weight * CHAT_WORTH.region);
      keys.push(regional);
    }
    return keys;
  };
  return { read, weights, factorOf, keysOf, mostWorth };
}

export function isSaid({ source }: LogBlock): boolean {
  return source === "user" || source === "assistant";
}

interface Term {
  /** How many messages hold it. */
  messages: number;
  isName: boolean;
  /** The newest message that was counted. */
  latest: number;
  weight: number;
}

const UNKNOWN: Term = { messages: 1, isName: false, latest: 0, weight: 0 };

function countTerms(said: readonly LogBlock[], read: ChatReader): ReadonlyMap<string, Term> {
  const terms = new Map<string, Term>();
  for (const [at, { lines }] of said.entries()) {
    for (const source of lines) {
      for (const line of read(source)) countLine(terms, line, at);
    }
  }
  const scale = 1 / Math.log(Math.max(2, said.length));
  for (const term of terms.values()) {
    const rarity = Math.log(said.length / term.messages) * scale;
    term.weight = rarity * (term.isName ? CHAT_WORTH.name : CHAT_WORTH.word);
  }
  return terms;
}

function countLine(terms: Map<string, Term>, { identifiers, names }: ChatLine, at: number): void {
  for (const term of identifiers) {
    const known = terms.get(term);
    if (known === undefined) terms.set(term, { messages: 1, isName: names.has(term), latest: at, weight: 0 });
    else {
      if (known.latest !== at) known.messages += 1;
      known.latest = at;
      if (!known.isName && names.has(term)) known.isName = true;
    }
  }
}

/** A model answers at length; people who talk with each other do not. */
const ANSWER_RATIO = 2;

function isAnswering(said: readonly LogBlock[]): boolean {
  const tokens = { user: 0, assistant: 0 };
  const blocks = { user: 0, assistant: 0 };
  for (const { source, lines } of said) {
    if (source !== "user" && source !== "assistant") continue;
    blocks[source] += 1;
    for (const line of lines) tokens[source] += line.tokens;
  }
  const mean = (source: "user" | "assistant") => tokens[source] / Math.max(1, blocks[source]);
  return mean("assistant") > ANSWER_RATIO * mean("user");
}
