import { summaryId, tellsWhatCameBefore } from "../../message/effective-view.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import { detectUnits } from "../../message/units.ts";
import { findStanding } from "../../standing/find-standing.ts";
import type { CondensationPlan, CondensationRefusal } from "../condensation-plan.ts";
import { hideable, planHiding } from "../plan-hiding.ts";
import { entryAfter, type ViewEntry, viewEntries } from "../view-entries.ts";
import { getKeepMessagesWithToolBlocks } from "./keep-messages.ts";

export interface PlanSummaryOptions {
  readonly taskId: string;
  /** Newest messages that stay as they are. */
  readonly keepMessages: number;
  readonly countTokens: CountTokens;
  /** Whether the newest short messages in which something was decided stay visible. @default true */
  readonly keepsDecisions?: boolean | undefined;
}

/** Decides what a summary will stand for: all between the first message and the newest ones, except messages marked important, and what binds or was decided. */
export function planSummary(
  messages: readonly Message[],
  { taskId, keepMessages, countTokens, keepsDecisions = true }: PlanSummaryOptions,
): CondensationPlan | CondensationRefusal {
  const view = viewEntries(messages);
  const shown = view.map((entry) => entry.message);
  const kept = getKeepMessagesWithToolBlocks(shown, keepMessages);
  const tailStart = view.length - kept.keepMessages.length;
  if (view.slice(Math.max(1, tailStart)).some((entry) => tellsWhatCameBefore(entry.original))) {
    return {
      type: "refused",
      error: "The conversation was condensed recently: its summary is among the newest messages, which are kept.",
    };
  }
  const goalEnd = endOfGoal(view);
  const standing = findStanding(messages);
  const decisions = keepsDecisions ? countTokens : undefined;
  const { hidden, standing: bound } = hideable(view, { start: goalEnd, end: tailStart, standing, decisions });
  if (hidden.length === 0) {
    return {
      type: "refused",
      error: "There are not enough messages to condense between the first one and the newest ones.",
    };
  }
  return planHiding(messages, hidden, {
    taskId,
    countTokens,
    goal: view.slice(0, goalEnd),
    kept: bound,
    standing,
    carried: [...kept.reasoningBlocksToPreserve, ...kept.toolUseBlocksToPreserve],
    next: entryAfter(view, hidden),
  });
}

/** Where the part that stays at the beginning ends: the first message's unit; for a snapshot, also its acknowledgement. */
function endOfGoal(view: readonly ViewEntry[]): number {
  const end = detectUnits(view.map((entry) => entry.message))[0]?.end ?? 0;
  const [first] = view;
  const firstId = first === undefined ? undefined : summaryId(first.original);
  const next = view.findIndex((entry, index) => index >= end && summaryId(entry.original) !== firstId);
  return firstId === undefined || next < 0 ? end : next;
}
