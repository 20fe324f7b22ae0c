import { applyCondensation } from "../../core/condense/condensation-plan.ts";
import { planSnapshot, snapshotMessages } from "../../core/condense/snapshot/plan-snapshot.ts";
import { planSummary } from "../../core/condense/summary/plan-summary.ts";
import { summaryMessage } from "../../core/condense/summary/summary-message.ts";
import type { Content, Message } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { clearToolResults } from "../../core/truncate/clear-tool-results.ts";
import { clipBlocks } from "../../core/truncate/clip/clip-blocks.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import { truncateConversation } from "../../core/truncate/truncate-conversation.ts";

/** A way to fold a log. */
export interface ContractFold {
  readonly name: string;
  readonly apply: (log: readonly Message[]) => readonly Message[];
}

const COUNTING = {
  taskId: "contract",
  countTokens: (content: Content) => Math.ceil(serialize(content).length / 4),
};

const summary: ContractFold = {
  name: "a summary",
  apply: (log) => {
    const plan = planSummary(log, { ...COUNTING, keepMessages: 4 });
    return plan.type === "refused" ? log : applyCondensation(log, plan, [summaryMessage(plan, "SUMMARY")]);
  },
};

const snapshot: ContractFold = {
  name: "a snapshot",
  apply: (log) => {
    const plan = planSnapshot(log, COUNTING);
    return plan.type === "refused" ? log : applyCondensation(log, plan, snapshotMessages(plan, "SNAPSHOT"));
  },
};

const clear: ContractFold = {
  name: "cleared results",
  apply: (log) => clearToolResults(log, { ...COUNTING, keepNewest: 1, minGainTokens: 0 }).messages,
};

/** Every kind of fold, and some on top of each other: the same list for every adapter. */
export const CONTRACT_FOLDS: readonly ContractFold[] = [
  summary,
  snapshot,
  clear,
  { name: "a truncation", apply: (log) => truncateConversation(log, 0.5, "contract").messages },
  {
    name: "repeated reads",
    apply: (log) => dedupeToolResults(log, { ...COUNTING, minTokens: 0, minGainTokens: 0 }).messages,
  },
  {
    name: "clipped blocks",
    apply: (log) => clipBlocks(log, { ...COUNTING, budgetTokens: 300, messageIndexes: [...log.keys()] }).messages,
  },
  { name: "cleared results, then a summary", apply: (log) => summary.apply(clear.apply(log)) },
];
