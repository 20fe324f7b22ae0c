import { type Block, isKnownBlock, type Message, type ReasoningBlock } from "../../message/message.ts";
import type { CondensationPlan } from "../condensation-plan.ts";
import { summaryNotice } from "../summary-text.ts";

/** Some providers demand reasoning on every assistant turn; adapters of other providers drop it, as it is not signed. */
const SYNTHETIC_REASONING = {
  type: "reasoning",
  text: "The earlier part of this conversation is condensed below; the work goes on from there.",
} as const;

/** The message that stands for what the plan hides. */
export function summaryMessage(plan: CondensationPlan, summary: string): Message {
  return {
    id: plan.condenseId,
    role: "assistant",
    content: [
      SYNTHETIC_REASONING,
      // A summary that carries an earlier summary's calls has the same reasoning already.
      ...plan.carried.filter((block) => isReasoning(block) && !isSynthetic(block)),
      { type: "text", text: summary },
      summaryNotice(plan.condenseId, plan.total),
      ...plan.carried.filter((block) => !isReasoning(block)),
    ],
    ...(plan.ts === undefined ? {} : { ts: plan.ts }),
    isSummary: true,
    condenseId: plan.condenseId,
  };
}

function isReasoning(block: Block): block is ReasoningBlock {
  return isKnownBlock(block) && block.type === "reasoning";
}

function isSynthetic(block: Block): boolean {
  return isReasoning(block) && block.text === SYNTHETIC_REASONING.text;
}
