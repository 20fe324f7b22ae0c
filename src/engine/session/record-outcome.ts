import { foldKindIn } from "../../core/history/list-folds.ts";
import type { FoldKind } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanOutcome } from "../pipeline/run-plan.ts";
import type { Assessment } from "./assess.ts";
import { condensationEvents, updateBackOffs } from "./condense-messages.ts";
import type { LiveSession } from "./live-session.ts";
import type { SessionEvent } from "./report.ts";

export interface RecordedOutcome {
  readonly outcome: PlanOutcome;
  /** The log before the plan. */
  readonly base: readonly Message[];
  /** The size of the prompt before the condensation, if one was tried. */
  readonly condensedFrom: number;
}

/** The events of a plan, in the order of its steps. */
export function outcomeEvents(
  { ports }: Pick<LiveSession, "ports">,
  { context }: Assessment,
  { outcome, base, condensedFrom }: RecordedOutcome,
): readonly SessionEvent[] {
  const { condensation, truncation, promptTokens: newContextTokens } = outcome;
  const sizes = { at: ports.now(), prevContextTokens: context.prevContextTokens, newContextTokens };
  const blocksFolded = (foldIds: readonly string[]): readonly SessionEvent[] =>
    foldIds.length === 0 ? [] : [{ type: "blocks_folded", foldIds, ...sizes }];
  const tried = condensation && { messages: base, result: condensation, prevContextTokens: condensedFrom };
  const { truncationId, messagesRemoved = 0 } = truncation ?? {};
  return [
    ...blocksFolded(foldsOf(outcome, ["dedupe", "clear"])),
    ...(tried === undefined ? [] : condensationEvents({ ports }, tried)),
    ...(truncationId === undefined
      ? []
      : [{ type: "sliding_window_truncation", truncationId, messagesRemoved, ...sizes } as const]),
    ...blocksFolded(foldsOf(outcome, ["clip"])),
  ];
}

/** Updates the back-offs, and tells the monitor of a truncation, once a plan is in the log. */
export function rememberOutcome(
  session: LiveSession,
  { context }: Assessment,
  { outcome, base, condensedFrom }: RecordedOutcome,
): void {
  const { condensation } = outcome;
  if (condensation !== undefined) {
    updateBackOffs(session, { messages: base, result: condensation, prevContextTokens: condensedFrom });
  }
  if (foldsOf(outcome, ["truncate", "clip"]).length === 0) return;
  const { prevContextTokens, taskId } = context;
  const { error } = condensation ?? {};
  session.ports.monitor.fellBack({ taskId, prevContextTokens, ...(error === undefined ? {} : { error }) });
}

function foldsOf({ messages, foldIds }: PlanOutcome, kinds: readonly FoldKind[]): readonly string[] {
  return foldIds.filter((foldId) => {
    const kind = foldKindIn(messages, foldId);
    return kind !== undefined && kinds.includes(kind);
  });
}
