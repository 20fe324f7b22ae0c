import type { Message } from "../../message/message.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { identifierWeights } from "./identifier-weights.ts";
import { headingOf } from "./ledger-text.ts";
import type { LedgerWeights } from "./ledger-weights.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";
import { type SourceLine, sourceBlocks } from "./source-lines.ts";
import { spokenOf } from "./spoken-of.ts";
import { lineValues } from "./values/line-values.ts";
import { LINE_WORTH } from "./values/line-worth.ts";

/** All that could be quoted of a log. */
export interface LogCandidates {
  readonly blocks: readonly LogBlock[];
  /** In the order of the log; their groups are indexes of blocks. */
  readonly candidates: readonly Candidate[];
  readonly weights: ReadonlyMap<string, number>;
  /** Identifiers that the rest of the view shows. */
  readonly seen: ReadonlySet<string>;
  readonly headingTokens: (group: number) => number;
}

export interface FindCandidatesOptions {
  /** What the view shows beside the ledger. */
  readonly visible: readonly Message[];
  readonly weights: LedgerWeights;
}

/** Finds the lines that the view does not show, each once, where it was written last. */
export function findCandidates(
  messages: readonly Message[],
  blocks: readonly LogBlock[],
  { visible, weights: fitted }: FindCandidatesOptions,
): LogCandidates {
  const shown = visible.flatMap((message) => sourceBlocks(message));
  const seen = namedIn(shown);
  const spoken = spokenOf(blocks);
  const weights = identifierWeights(messages, { spoken, weights: fitted });
  const values = lineValues(blocks, { identifiersWorth: total(weights.values()), spoken, weights: fitted });
  const carried = namedIn(blocks);
  const known = new Set<string>();
  for (const { lines } of shown) for (const { key } of lines) known.add(key);
  const candidates: Candidate[] = [];
  const oldest = Math.max(1, blocks[0]?.age ?? 1);
  for (let group = blocks.length - 1; group >= 0; group--) {
    const block = blocks[group];
    if (block === undefined) continue;
    const recency = 1 - block.age / (oldest + 1);
    for (const line of block.lines.toReversed()) {
      if (known.has(line.key) || isReplaced(line, block)) continue;
      known.add(line.key);
      const value = (values.get(line) ?? 0) + LINE_WORTH.anything * recency;
      const identifiers = line.isBare && line.identifiers.every((each) => carried.has(each)) ? [] : line.identifiers;
      candidates.push({ line, identifiers, value, group });
    }
  }
  return { blocks, candidates: candidates.reverse(), weights, seen, headingTokens: createHeadingCounter(blocks) };
}

function total(numbers: Iterable<number>): number {
  let sum = 0;
  for (const each of numbers) sum += each;
  return sum;
}

/** A name that stands alone tells nothing about what it names. */
function namedIn(blocks: readonly { readonly lines: readonly SourceLine[] }[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { lines } of blocks) {
    for (const { isBare, identifiers } of lines) {
      if (!isBare) for (const identifier of identifiers) named.add(identifier);
    }
  }
  return named;
}

/** What an edit took away is in its arguments too, and true no longer. */
function isReplaced(line: SourceLine, { source, act }: LogBlock): boolean {
  return source === "call" && act?.removed.has(line.code) === true;
}

function createHeadingCounter(blocks: readonly LogBlock[]): (group: number) => number {
  const counts = new Map<number, number>();
  return (group) => {
    const block = blocks[group];
    const tokens = counts.get(group) ?? (block === undefined ? 0 : countTextTokens(`${headingOf(block)}\n`));
    counts.set(group, tokens);
    return tokens;
  };
}
