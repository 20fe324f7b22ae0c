import type { LogBlock } from "../log-blocks.ts";
import { type ChatReader, readSentences, readTurns } from "./chat-lines.ts";
import { CHAT_WORTH } from "./chat-worth.ts";

/** What the terms of a conversation are worth. */
export interface TermWeights {
  readonly read: ChatReader;
  /** By key; of the keys that were asked for. */
  readonly weights: ReadonlyMap<string, number>;
  /** What a sentence of this block is worth, in comparison with one of the person's. */
  readonly factorOf: (block: LogBlock) => number;
  /** The keys of a term in the block at this place: for the whole conversation, and for the region of it. */
  readonly keysOf: (term: string, at: number) => readonly string[];
}

/** A conversation goes from topic to topic: what was named in one is told anew in another. */
const REGIONS = 16;

/** A rare term tells more: one that stands everywhere tells what the talk is about, which is known. */
export function weighTerms(blocks: readonly LogBlock[]): TermWeights {
  const said = blocks.filter(isSaid);
  const isTalk = !isAnswering(said);
  const read = isTalk ? readTurns : readSentences;
  const counts = countTerms(said, read);
  const assistantFactor = isTalk ? 1 : CHAT_WORTH.assistant;
  const factorOf = ({ source }: LogBlock) => (source === "assistant" ? assistantFactor : 1);
  const weights = new Map<string, number>();
  const known = new Map<string, (readonly string[] | undefined)[]>();
  /** A term stands in many sentences: its keys are made once for each region and speaker. */
  const keysOf = (term: string, at: number) => {
    const block = blocks[at];
    const factor = block === undefined ? 1 : factorOf(block);
    const region = Math.floor((REGIONS * at) / blocks.length);
    const place = factor === 1 ? region : REGIONS + region;
    const places = known.get(term) ?? [];
    known.set(term, places);
    const keys = places[place] ?? weigh(term, factor, region);
    places[place] = keys;
    return keys;
  };
  const weigh = (term: string, factor: number, region: number): readonly string[] => {
    const { messages, isName } = counts.get(term) ?? { messages: 1, isName: false };
    const rarity = Math.log(said.length / messages) / Math.log(Math.max(2, said.length));
    const weight = factor * rarity * (isName ? CHAT_WORTH.name : 1);
    // What a model said of a thing does not stand for what the person said of it.
    const key = factor === 1 ? term : `assistant ${term}`;
    weights.set(key, weight);
    if (messages === 1) return [key];
    const regional = `${key}@${region}`;
    weights.set(regional, weight * CHAT_WORTH.region);
    return [key, regional];
  };
  return { read, weights, factorOf, keysOf };
}

export function isSaid({ source }: LogBlock): boolean {
  return source === "user" || source === "assistant";
}

interface TermCount {
  messages: number;
  isName: boolean;
}

function countTerms(said: readonly LogBlock[], read: ChatReader): ReadonlyMap<string, TermCount> {
  const counts = new Map<string, TermCount>();
  for (const { lines } of said) {
    const seen = new Set<string>();
    for (const { identifiers, names } of lines.flatMap(read)) {
      for (const term of identifiers) {
        const count = counts.get(term) ?? { messages: 0, isName: false };
        counts.set(term, count);
        if (!seen.has(term)) count.messages += 1;
        seen.add(term);
        if (names.has(term)) count.isName = true;
      }
    }
  }
  return counts;
}

/** A model answers at length; people who talk with each other do not. */
const ANSWER_RATIO = 2;

function isAnswering(said: readonly LogBlock[]): boolean {
  const mean = (source: LogBlock["source"]) => {
    const blocks = said.filter((block) => block.source === source);
    let tokens = 0;
    for (const { lines } of blocks) for (const line of lines) tokens += line.tokens;
    return tokens / Math.max(1, blocks.length);
  };
  return mean("assistant") > ANSWER_RATIO * mean("user");
}
