import type { Message } from "../../../message/message.ts";
import type { LogCandidates } from "../find-candidates.ts";
import type { LogBlock } from "../log-blocks.ts";
import { type Candidate, HEADING_SHARE_TOKENS } from "../pack-lines.ts";
import { sourceBlocks } from "../source-lines.ts";
import type { ChatLine } from "./chat-lines.ts";
import { CHAT_WORTH } from "./chat-worth.ts";
import { type Corrections, findCorrections } from "./corrections.ts";
import { isSaid, type TermWeights, weighTerms } from "./weigh-terms.ts";

export interface ChatCandidates extends LogCandidates {
  readonly corrections: Corrections;
}

export interface ChatOptions {
  /** What the view shows beside the ledger. */
  readonly visible: readonly Message[];
  readonly budgetTokens: number;
}

/** The tokens of a message's number and speaker before its text. */
const HEADING_TOKENS = 5;
/** Only the sentences that could be worth most are packed, up to this many times the budget: the rest would never be chosen. */
const MOST_BUDGETS = 6;

/** The sentences of a conversation that could be quoted. Each is worth the terms that no quoted sentence has yet, and a value by its kind. */
export function chatCandidates(blocks: readonly LogBlock[], { visible, budgetTokens }: ChatOptions): ChatCandidates {
  const terms = weighTerms(blocks);
  const corrections = findCorrections(blocks, terms.read);
  const sentences = newSentences(blocks, visible, terms);
  const valued = sentences.map((sentence) => ({ ...sentence, value: ownValue(sentence, terms, corrections) }));
  const telling = valued.filter(({ value }) => value >= 0);
  // Greetings and the like, with negative values, are left out unless there is nothing else.
  const worthwhile = densest(telling.length > 0 ? telling : valued, terms, MOST_BUDGETS * budgetTokens);
  const candidates = worthwhile.map(({ line, group, value }): Candidate => {
    return { line, group, index: 0, value, identifiers: terms.keysOf(line, group) };
  });
  return {
    blocks,
    candidates,
    barred: new Set(),
    repeated: new Set(),
    weights: terms.weights,
    // Nothing counts as seen: what the tail names may have been explained only before.
    seen: new Set(),
    sections: [],
    headingShareTokens: HEADING_SHARE_TOKENS,
    headingTokens: () => HEADING_TOKENS,
    corrections,
  };
}

interface Sentence {
  readonly line: ChatLine;
  readonly block: LogBlock;
  /** The index of its block. */
  readonly group: number;
}

/** The sentences that the view does not show, each once, where it was said last. */
function newSentences(
  blocks: readonly LogBlock[],
  visible: readonly Message[],
  { read }: TermWeights,
): readonly Sentence[] {
  const knownKeys = new Set<string>();
  for (const { lines } of visible.flatMap((message) => sourceBlocks(message))) {
    for (const line of lines) for (const { key } of read(line)) knownKeys.add(key);
  }
  const sentences: Sentence[] = [];
  for (let group = blocks.length - 1; group >= 0; group--) {
    const block = blocks[group];
    if (block === undefined || !isSaid(block)) continue;
    for (const line of block.lines.flatMap(read).toReversed()) {
      if (knownKeys.has(line.key)) continue;
      knownKeys.add(line.key);
      sentences.push({ line, block, group });
    }
  }
  return sentences.reverse();
}

/** The worth of a sentence by its kind and speaker, without its terms. */
function ownValue({ line, block }: Sentence, { factorOf }: TermWeights, { takesBack }: Corrections): number {
  const rule = line.binds && block.source === "user" && line.worth > CHAT_WORTH.question ? CHAT_WORTH.rule : 0;
  const worth = takesBack(line) === undefined ? line.worth + rule : CHAT_WORTH.correction;
  return factorOf(block) * worth;
}

interface ValuedSentence extends Sentence {
  readonly value: number;
}

/** The sentences that could be worth most for their tokens, up to `mostTokens` of them, in their order. */
function densest(
  sentences: readonly ValuedSentence[],
  { mostWorth }: TermWeights,
  mostTokens: number,
): readonly ValuedSentence[] {
  const densities = sentences.map(
    ({ line, group, value }) => (value + mostWorth(line, group)) / (line.tokens + HEADING_SHARE_TOKENS),
  );
  const order = densities.map((_, at) => at).sort((one, other) => (densities[other] ?? 0) - (densities[one] ?? 0));
  const kept = new Set<number>();
  let left = mostTokens;
  for (const at of order) {
    if (left <= 0) break;
    left -= sentences[at]?.line.tokens ?? 0;
    kept.add(at);
  }
  return sentences.filter((_, at) => kept.has(at));
}
