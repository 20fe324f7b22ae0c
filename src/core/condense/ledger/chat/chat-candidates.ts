import type { Message } from "../../../message/message.ts";
import { isConstraint } from "../../../text/constraint-words.ts";
import type { LogCandidates } from "../find-candidates.ts";
import type { LogBlock } from "../log-blocks.ts";
import type { Candidate } from "../pack-lines.ts";
import { sourceBlocks } from "../source-lines.ts";
import type { ChatLine } from "./chat-lines.ts";
import { CHAT_WORTH } from "./chat-worth.ts";
import { type Corrections, findCorrections } from "./corrections.ts";
import { isSaid, weighTerms } from "./weigh-terms.ts";

export interface ChatCandidates extends LogCandidates {
  readonly corrections: Corrections;
}

/** What a number and a speaker take before what a message says. */
const HEADING_TOKENS = 5;

/** What could be quoted of a conversation: its sentences, worth the terms that no quoted one holds yet, and what they are. */
export function chatCandidates(blocks: readonly LogBlock[], visible: readonly Message[]): ChatCandidates {
  const { read, weights, factorOf, keysOf } = weighTerms(blocks);
  const corrections = findCorrections(blocks, read);
  const known = new Set<string>();
  for (const { lines } of visible.flatMap((message) => sourceBlocks(message))) {
    for (const line of lines) for (const { key } of read(line)) known.add(key);
  }
  const candidates: Candidate[] = [];
  for (let group = blocks.length - 1; group >= 0; group--) {
    const block = blocks[group];
    if (block === undefined || !isSaid(block)) continue;
    for (const line of block.lines.flatMap(read).toReversed()) {
      if (known.has(line.key)) continue;
      known.add(line.key);
      const identifiers = line.identifiers.flatMap((term) => keysOf(term, group));
      candidates.push({ line, identifiers, value: factorOf(block) * ownWorth(line, block, corrections), group });
    }
  }
  candidates.reverse();
  const telling = candidates.filter(({ value }) => value >= 0);
  return {
    blocks,
    // Greetings and nods are left out, unless there is nothing else.
    candidates: telling.length > 0 ? telling : candidates,
    weights,
    // What the tail names may well be asked for as it was told before: nothing counts as seen.
    seen: new Set(),
    headingTokens: () => HEADING_TOKENS,
    corrections,
  };
}

const FIRST_PERSON = /\b(?:i|i'm|i've|i'd|i'll|my|mine|we|we're|we've|our|me)\b/i;
const QUESTION = /[?？]["'”’)\]]{0,3}$/;
/** Fewer terms are a nod, unless one of them is a name. */
const LEAST_TERMS = 2;

/** What a sentence is worth for what it is. */
function ownWorth(line: ChatLine, { source }: LogBlock, { takesBack }: Corrections): number {
  const { text, identifiers, names } = line;
  if (takesBack(line) !== undefined) return CHAT_WORTH.correction;
  if (identifiers.length < LEAST_TERMS && names.size === 0) return CHAT_WORTH.few;
  if (QUESTION.test(text)) return CHAT_WORTH.question;
  const person = FIRST_PERSON.test(text) ? CHAT_WORTH.firstPerson : 0;
  const rule = source === "user" && isConstraint(text) ? CHAT_WORTH.rule : 0;
  return CHAT_WORTH.sentence + person + rule;
}
