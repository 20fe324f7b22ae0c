import { summaryId } from "../../message/effective-view.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import { findStanding, NOTHING_STANDING } from "../../standing/find-standing.ts";
import type { CondensationPlan, CondensationRefusal } from "../condensation-plan.ts";
import { hideableBefore, planHiding } from "../plan-hiding.ts";
import { summaryNotice } from "../summary-text.ts";
import { entryAfter, type ViewEntry, viewEntries } from "../view-entries.ts";
import { chooseSnapshotSplit } from "./choose-split.ts";
import { SNAPSHOT_ACKNOWLEDGEMENT } from "./snapshot-prompt.ts";

/**
 * The share of a conversation that a snapshot leaves as it is.
 * @example
 * ```ts
 * import { COMPRESSION_PRESERVE_THRESHOLD, findCompressSplitPoint } from "palimpsest/compat";
 * const contents = Array.from({ length: 10 }, () => ({ role: "user", parts: [{ text: "ten turns" }] }));
 * console.log(findCompressSplitPoint(contents, 1 - COMPRESSION_PRESERVE_THRESHOLD)); // 7
 * ```
 */
export const COMPRESSION_PRESERVE_THRESHOLD = 0.3;

export interface PlanSnapshotOptions {
  readonly taskId: string;
  readonly countTokens: CountTokens;
  /** Whether what binds the agent stays in front of the snapshot; else the snapshot is the first that is said. @default true */
  readonly keepsStanding?: boolean | undefined;
  /** Fewer are not worth a request, unless a person asks for it. @default 2 */
  readonly leastMessages?: number | undefined;
  /** Whether the newest messages in which something was decided stay visible, as far as they are short. @default keepsStanding */
  readonly keepsDecisions?: boolean | undefined;
}

/** A condensation into a snapshot, and whether the assistant must be heard before the kept part goes on. */
export interface SnapshotPlan extends CondensationPlan {
  readonly isAcknowledged: boolean;
}

/** Decides what a snapshot will stand for: the older part of the view, but for what a person marked. */
export function planSnapshot(
  messages: readonly Message[],
  { taskId, countTokens, keepsStanding = true, leastMessages, keepsDecisions = keepsStanding }: PlanSnapshotOptions,
): SnapshotPlan | CondensationRefusal {
  const view = viewEntries(messages);
  const split = splitOf(view);
  const decisions = keepsDecisions ? countTokens : undefined;
  const standing = keepsStanding ? findStanding(messages) : NOTHING_STANDING;
  const { hidden, standing: kept } = hideableBefore(view, split, { standing, leastMessages, decisions });
  if (hidden.length === 0) {
    return { type: "refused", error: "There are not enough messages to condense before the part that is kept." };
  }
  const next = entryAfter(view, hidden);
  const plan = planHiding(messages, hidden, { taskId, countTokens, goal: [], carried: [], kept, standing, next });
  // A call of the assistant must come right after a user's turn, so nothing may be said in between.
  return { ...plan, isAcknowledged: next?.message.role !== "assistant" };
}

/** An earlier snapshot and its acknowledgement go together. */
function splitOf(view: readonly ViewEntry[]): number {
  const split = chooseSnapshotSplit(
    view.map((entry) => entry.message),
    1 - COMPRESSION_PRESERVE_THRESHOLD,
  );
  const idAt = (index: number) => {
    const entry = view[index];
    return entry === undefined ? undefined : summaryId(entry.original);
  };
  return split > 0 && idAt(split) !== undefined && idAt(split) === idAt(split - 1) ? split + 1 : split;
}

/** The messages that stand for what the plan hides: the snapshot, and the assistant's word that it has read it. */
export function snapshotMessages(plan: SnapshotPlan, snapshot: string): readonly Message[] {
  const fields = {
    ...(plan.ts === undefined ? {} : { ts: plan.ts }),
    isSummary: true,
    condenseId: plan.condenseId,
  };
  const standIn: Message = {
    id: plan.condenseId,
    role: "user",
    content: [{ type: "text", text: snapshot }, summaryNotice(plan.condenseId, plan.total)],
    ...fields,
  };
  if (!plan.isAcknowledged) return [standIn];
  const reply: Message = {
    id: `${plan.condenseId}-reply`,
    role: "assistant",
    content: SNAPSHOT_ACKNOWLEDGEMENT,
    ...fields,
  };
  return [standIn, reply];
}
