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

/** What a number and a speaker take before what a message says. */
const HEADING_TOKENS = 5;
/** Sentences that could at best be worth little are not weighed against others: of so many times the budget the rest are never chosen. */
const MOST_BUDGETS = 6;

/** What could be quoted of a conversation: its sentences, worth the terms that no quoted one holds yet, and what they are. */
export function chatCandidates(blocks: readonly LogBlock[], { visible, budgetTokens }: ChatOptions): ChatCandidates {
  const terms = weighTerms(blocks);
  const corrections = findCorrections(blocks, terms.read);
  const sentences = newSentences(blocks, visible, terms);
  const valued = sentences.map((sentence) => ({ ...sentence, value: ownValue(sentence, terms, corrections) }));
  const telling = valued.filter(({ value }) => value >= 0);
  // Greetings and nods are left out, unless there is nothing else.
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
    // What the tail names may well be asked for as it was told before: nothing counts as seen.
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
  /** The place of its block. */
  readonly group: number;
}

/** Each sentence once, where it was said last, unless the view shows it. */
function newSentences(
  blocks: readonly LogBlock[],
  visible: readonly Message[],
  { read }: TermWeights,
): readonly Sentence[] {
  const known = new Set<string>();
  for (const { lines } of visible.flatMap((message) => sourceBlocks(message))) {
    for (const line of lines) for (const { key } of read(line)) known.add(key);
  }
  const sentences: Sentence[] = [];
  for (let group = blocks.length - 1; group >= 0; group--) {
    const block = blocks[group];
    if (block === undefined || !isSaid(block)) continue;
    for (const line of block.lines.flatMap(read).toReversed()) {
      if (known.has(line.key)) continue;
      known.add(line.key);
      sentences.push({ line, block, group });
    }
  }
  return sentences.reverse();
}

/** What a sentence is worth for what it is, and who says it. */
function ownValue({ line, block }: Sentence, { factorOf }: TermWeights, { takesBack }: Corrections): number {
  const rule = line.binds && block.source === "user" && line.worth > CHAT_WORTH.question ? CHAT_WORTH.rule : 0;
  const worth = takesBack(line) === undefined ? line.worth + rule : CHAT_WORTH.correction;
  return factorOf(block) * worth;
}

interface ValuedSentence extends Sentence {
  readonly value: number;
}

/** Those that could be worth most for their tokens, up to so many tokens of them, in their order. */
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
