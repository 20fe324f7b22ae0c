import { type Block, isKnownBlock, type Message } from "../../message/message.ts";
import type { CondensationPlan } from "../condensation-plan.ts";
import { summaryNotice } from "../summary-text.ts";

/** Some providers demand reasoning on every assistant turn; adapters of the others leave unsigned reasoning out. */
const SYNTHETIC_REASONING: Block = {
  type: "reasoning",
  text: "The earlier part of this conversation is condensed below; the work goes on from there.",
};

/** The message that stands for what the plan hides. */
export function summaryMessage(plan: CondensationPlan, summary: string): Message {
  const isReasoning = (block: Block) => isKnownBlock(block) && block.type === "reasoning";
  return {
    id: plan.condenseId,
    role: "assistant",
    content: [
      SYNTHETIC_REASONING,
      ...plan.carried.filter(isReasoning),
      { type: "text", text: summary },
      summaryNotice(plan.condenseId, plan.total),
      ...plan.carried.filter((block) => !isReasoning(block)),
    ],
    ...(plan.ts === undefined ? {} : { ts: plan.ts }),
    isSummary: true,
    condenseId: plan.condenseId,
  };
}
