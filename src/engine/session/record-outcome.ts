import { foldKindIn } from "../../core/history/list-folds.ts";
import type { FoldKind } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanOutcome } from "../pipeline/run-plan.ts";
import { type Assessment, type LiveSession, recordCondensation } from "./live-session.ts";

export interface RecordedOutcome {
  readonly outcome: PlanOutcome;
  /** The log before it. */
  readonly base: readonly Message[];
  /** The prompt that a condensation, if one was tried, started from. */
  readonly condensedFrom: number;
}

/** Tells what a plan did, in the order in which it did it. */
export function recordOutcome(
  session: LiveSession,
  { context }: Assessment,
  { outcome, base, condensedFrom }: RecordedOutcome,
): void {
  const { condensation, truncation, promptTokens: newContextTokens } = outcome;
  const { monitor, now } = session.ports;
  const { prevContextTokens, taskId } = context;
  const sizes = { at: now(), prevContextTokens, newContextTokens };
  const recordBlocks = (foldIds: readonly string[]) => {
    if (foldIds.length > 0) session.record({ type: "blocks_folded", foldIds, ...sizes });
  };

  recordBlocks(foldsOf(outcome, ["dedupe", "clear"]));
  if (condensation !== undefined) {
    recordCondensation(session, { messages: base, result: condensation, prevContextTokens: condensedFrom });
  }
  if (foldsOf(outcome, ["truncate", "clip"]).length > 0) {
    const { error } = condensation ?? {};
    monitor.fellBack({ taskId, prevContextTokens, ...(error === undefined ? {} : { error }) });
  }
  const { truncationId, messagesRemoved = 0 } = truncation ?? {};
  if (truncationId !== undefined) {
    session.record({ type: "sliding_window_truncation", truncationId, messagesRemoved, ...sizes });
  }
  recordBlocks(foldsOf(outcome, ["clip"]));
}

function foldsOf({ messages, foldIds }: PlanOutcome, kinds: readonly FoldKind[]): readonly string[] {
  return foldIds.filter((foldId) => {
    const kind = foldKindIn(messages, foldId);
    return kind !== undefined && kinds.includes(kind);
  });
}
