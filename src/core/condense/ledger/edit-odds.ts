import { editTerms } from "./edit-terms.ts";
import { type LedgerWeights, weigh } from "./ledger-weights.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";
import { type SpokenOf, spokenOf } from "./spoken-of.ts";
import { LEDGER_WEIGHTS } from "./weights.ts";

/** A line of code, and how likely the next edits are to replace it, compared with other lines. */
export interface EditOdds {
  readonly line: SourceLine;
  readonly odds: number;
}

export interface EditOddsOptions {
  readonly spoken?: SpokenOf;
  readonly weights?: LedgerWeights;
}

/** The odds of all lines of code that the log shows: only to be compared with each other. */
export function editOdds(
  blocks: readonly LogBlock[],
  { spoken = spokenOf(blocks), weights: { edits } = LEDGER_WEIGHTS }: EditOddsOptions = {},
): readonly EditOdds[] {
  const blockLogits = new Map<object, number>();
  return editTerms(blocks, spoken).map(({ line, block, own }) => {
    const logit = blockLogits.get(block) ?? weigh(edits, block);
    blockLogits.set(block, logit);
    return { line, odds: Math.exp(logit + weigh(edits, own)) };
  });
}
