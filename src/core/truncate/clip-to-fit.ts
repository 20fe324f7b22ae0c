import type { CountTokens } from "../message/message.ts";
import { findStanding, NOTHING_STANDING, partsOfBlock } from "../standing/find-standing.ts";
import { countBlockTokens } from "../tokens/count-messages.ts";
import { clipBlocks } from "./clip/clip-blocks.ts";
import type { Folded } from "./fit-options.ts";
import { type MeasuredUnit, measureView, sumTokens } from "./measure-view.ts";
import type { OffloadRule } from "./offload.ts";
import { blocksOf, isBoundWhole, spansOf } from "./trim-units.ts";

export interface ClipToFitOptions {
  /** The standings of the units that are clipped. */
  readonly scope: readonly MeasuredUnit["standing"][];
  /** How many tokens those units may take together. */
  readonly budgetTokens: number;
  readonly countTokens: CountTokens;
  readonly taskId: string;
  /** Binding blocks stay whole unless one alone takes more than this. @default 0: they are clipped like others */
  readonly boundBlockTokens?: number;
  /** Which tool results are moved to files that their notices name. @default none */
  readonly offload?: OffloadRule | undefined;
}

/** Clips the largest blocks in scope until the units in scope are within the budget, as far as that is possible. Returns `folded` itself where nothing was clipped. */
export function clipToFit(folded: Folded, options: ClipToFitOptions): Folded {
  const { scope, budgetTokens, countTokens, taskId, boundBlockTokens = 0 } = options;
  const { units } = measureView(folded.messages, countTokens);
  const inScope = units.filter((unit) => scope.includes(unit.standing)).flatMap((unit) => unit.entries);
  // A marker cannot be clipped: it names its fold, and that must stay readable.
  const markers = inScope.filter((entry) => entry.message.isTruncationMarker === true);
  const clippable = inScope.filter((entry) => entry.message.isTruncationMarker !== true);
  if (sumTokens(inScope) <= budgetTokens) return folded;

  const standing = boundBlockTokens > 0 ? findStanding(folded.messages) : NOTHING_STANDING;
  const isClippable = (messageIndex: number, blockIndex: number): boolean => {
    if (!isBoundWhole(partsOfBlock(standing, messageIndex, blockIndex))) return true;
    const message = folded.messages[messageIndex];
    const block = message && blocksOf(message)[blockIndex];
    return block === undefined || countBlockTokens(block, countTokens) > boundBlockTokens;
  };
  const clipped = clipBlocks(folded.messages, {
    isClippable,
    keeps: (messageIndex, blockIndex) => spansOf(partsOfBlock(standing, messageIndex, blockIndex)),
    messageIndexes: clippable.map((entry) => entry.logIndex),
    budgetTokens: budgetTokens - sumTokens(markers),
    countTokens,
    taskId,
    offload: options.offload,
  });
  if (clipped.foldId === undefined) return folded;
  return {
    ...folded,
    messages: clipped.messages,
    tokens: measureView(clipped.messages, countTokens).tokens,
    foldIds: [...folded.foldIds, clipped.foldId],
  };
}
