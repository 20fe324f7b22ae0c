import type { LogBlock } from "../log-blocks.ts";
import { type ChatLine, type ChatReader, readSentences, readTurns } from "./chat-lines.ts";
import { CHAT_WORTH } from "./chat-worth.ts";

/** The worth of a conversation's terms. */
export interface TermWeights {
  readonly read: ChatReader;
  /** The worth by key, for all keys that `keysOf` has returned. */
  readonly weights: ReadonlyMap<string, number>;
  /** The factor for sentences of a block, compared with those of the person. */
  readonly factorOf: (block: LogBlock) => number;
  /** The keys of a sentence's terms in the block at this index: one for the whole conversation, and one for its region. */
  readonly keysOf: (line: ChatLine, at: number) => readonly string[];
  /** The worth of these keys together while no quoted sentence has any of them. */
  readonly mostWorth: (line: ChatLine, at: number) => number;
}

/** The number of regions: a conversation goes from topic to topic, and a name counts again in another one. */
const REGIONS = 16;

/** Reads the sentences of a conversation, so that weighing its terms takes less time later. */
export function readChat(blocks: readonly LogBlock[]): void {
  const said = blocks.filter(isSaid);
  const read = readerOf(said);
  for (const { lines } of said) for (const line of lines) read(line);
}

/** Weighs terms by how rare they are: a term that occurs everywhere only says what the conversation is about. */
export function weighTerms(blocks: readonly LogBlock[]): TermWeights {
  const said = blocks.filter(isSaid);
  const read = readerOf(said);
  const terms = countTerms(said, read);
  const assistantFactor = read === readTurns ? 1 : CHAT_WORTH.assistant;
  const factorOf = ({ source }: LogBlock) => (source === "assistant" ? assistantFactor : 1);
  const factorAt = (at: number) => {
    const block = blocks[at];
    return block === undefined ? 1 : factorOf(block);
  };
  const weights = new Map<string, number>();
  const mostWorth = (line: ChatLine, at: number) => {
    let worth = 0;
    for (const term of line.identifiers) {
      const { weight, messages } = terms.get(term) ?? newTerm();
      worth += messages === 1 ? weight : weight * (1 + CHAT_WORTH.region);
    }
    return worth * factorAt(at);
  };
  const keysOf = (line: ChatLine, at: number) => {
    const factor = factorAt(at);
    const region = Math.floor((REGIONS * at) / blocks.length);
    const keys: string[] = [];
    for (const term of line.identifiers) {
      const { weight, messages, personKeys, assistantKeys } = terms.get(term) ?? newTerm();
      const known = factor === 1 ? personKeys : assistantKeys;
      let key = known.whole;
      if (key === undefined) {
        // The model's sentence about a thing does not replace the person's.
        key = factor === 1 ? term : `assistant ${term}`;
        known.whole = key;
        weights.set(key, factor * weight);
      }
      keys.push(key);
      if (messages === 1) continue;
      let regional = known.regional[region];
      if (regional === undefined) {
        regional = `${key}@${region}`;
        known.regional[region] = regional;
        weights.set(regional, factor * weight * CHAT_WORTH.region);
      }
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
  readonly personKeys: TermKeys;
  readonly assistantKeys: TermKeys;
}

/** The keys of a term that were made so far: each is a text of its own, and the same terms come again and again. */
interface TermKeys {
  whole: string | undefined;
  readonly regional: (string | undefined)[];
}

/** A term of one message. */
function newTerm(isName = false, latest = 0): Term {
  const newKeys = (): TermKeys => ({ whole: undefined, regional: [] });
  return { messages: 1, isName, latest, weight: 0, personKeys: newKeys(), assistantKeys: newKeys() };
}

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
    if (known === undefined) terms.set(term, newTerm(names.has(term), at));
    else {
      if (known.latest !== at) known.messages += 1;
      known.latest = at;
      if (!known.isName && names.has(term)) known.isName = true;
    }
  }
}

/** How many times as long as the user's messages the assistant's are where a model answers, and not people talk with each other. */
const ANSWER_RATIO = 2;

function readerOf(said: readonly LogBlock[]): ChatReader {
  return isAnswering(said) ? readSentences : readTurns;
}

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
