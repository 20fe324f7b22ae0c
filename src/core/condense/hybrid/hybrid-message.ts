import type { Message, TextBlock } from "../../message/message.ts";
import type { CondensationPlan } from "../condensation-plan.ts";
import { summaryNotice } from "../summary-text.ts";
import { HYBRID_OPENING } from "./hybrid-text.ts";

/** The message that stands for what the plan hides: what a model says of it, and the lines that are quoted of it, if any. */
export function hybridMessage(plan: CondensationPlan, summary: string, ledger: string): Message {
  const { condenseId, total, ts } = plan;
  const quoted: readonly TextBlock[] = ledger === "" ? [] : [{ type: "text", text: ledger }];
  return {
    id: condenseId,
    role: "user",
    content: [{ type: "text", text: `${HYBRID_OPENING}\n\n${summary}` }, ...quoted, summaryNotice(condenseId, total)],
    ...(ts === undefined ? {} : { ts }),
    isSummary: true,
    condenseId,
  };
}
