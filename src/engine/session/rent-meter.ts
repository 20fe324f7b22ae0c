import { decideRent } from "../../core/policy/rent.ts";
import type { ManagementDecision } from "../../core/policy/will-manage-context.ts";
import type { SessionModel } from "./session-model.ts";

/** Adds up what carrying foldable tokens costs, turn by turn, until folding them would have been as cheap. */
export interface RentMeter {
  /** One more turn with a prompt of this size. */
  turn(prompt: RentedPrompt): void;
  /** Something was folded: the rent starts anew. */
  folded(): void;
  /** The decision by prices instead of a fixed percentage. */
  decide(decision: ManagementDecision): ManagementDecision;
}

export interface RentedPrompt {
  readonly promptTokens: number;
  readonly overheadTokens: number;
  readonly model: SessionModel;
}

/** So near to the limit, nobody waits for the rent: the next turn may need the room. */
const NEAR_LIMIT_SHARE = 0.9;
const SUMMARY_TOKENS = 2_000;

export function createRentMeter(): RentMeter {
  let rentTokens = 0;
  let isDue = false;
  return {
    turn: ({ promptTokens, overheadTokens, model }) => {
      const { prices, condense } = model;
      if (prices === undefined) return;
      const turn = foldNow(promptTokens, overheadTokens, condense.targetReductionPercent);
      const decision = decideRent(rentTokens, turn, prices);
      ({ rentTokens, isDue } = decision);
    },
    folded: () => {
      rentTokens = 0;
      isDue = false;
    },
    decide: (decision) => {
      const { prevContextTokens, allowedTokens, triggerTokens, overheadTokens, mayCondense, mustShrink } = decision;
      const [said, allowed] = [prevContextTokens - overheadTokens, allowedTokens - overheadTokens];
      const isNearLimit = said > NEAR_LIMIT_SHARE * allowed;
      return {
        ...decision,
        shouldCondense: mayCondense && (isDue || mustShrink || isNearLimit),
        triggerTokens: Math.min(triggerTokens, prevContextTokens),
      };
    },
  };
}

function foldNow(promptTokens: number, overheadTokens: number, reductionPercent: number) {
  const foldedTokens = overheadTokens + (promptTokens - overheadTokens) * (1 - reductionPercent / 100);
  return { promptTokens, foldedTokens, summaryTokens: SUMMARY_TOKENS };
}
