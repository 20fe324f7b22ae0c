import { summaryId } from "../../message/effective-view.ts";
import type { CountTokens, Message } from "../../message/message.ts";
import { findApprovedPlan, findStanding } from "../../standing/find-standing.ts";
import type { CondensationPlan, CondensationRefusal } from "../condensation-plan.ts";
import { hideable, hideableBefore, planHiding } from "../plan-hiding.ts";
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
  /**
   * What the view begins with. `standing`: everything that binds the agent, then the snapshot. `snapshot`: the snapshot, then only the plan that a
   * person approved; anything else that binds may be hidden. @default "standing"
   */
  readonly beginsWith?: "standing" | "snapshot" | undefined;
  /** Hiding fewer messages is refused; a person who asks for a snapshot may lower this. @default 2 */
  readonly leastMessages?: number | undefined;
  /** Whether the newest short messages in which something was decided stay visible. @default true */
  readonly keepsDecisions?: boolean | undefined;
}

/** A condensation into a snapshot, and whether the assistant acknowledges the snapshot before the kept part goes on. */
export interface SnapshotPlan extends CondensationPlan {
  readonly isAcknowledged: boolean;
}

/** Decides what a snapshot will stand for: the older part of the view, except messages marked important, and what binds or was decided. */
export function planSnapshot(
  messages: readonly Message[],
  { taskId, countTokens, beginsWith = "standing", leastMessages, keepsDecisions = true }: PlanSnapshotOptions,
): SnapshotPlan | CondensationRefusal {
  const view = viewEntries(messages);
  const split = splitOf(view);
  const decisions = keepsDecisions ? countTokens : undefined;
  const isFirst = beginsWith === "snapshot";
  const standing = isFirst ? findApprovedPlan(messages) : findStanding(messages);
  const options = { standing, leastMessages, decisions };
  const { hidden, standing: kept } = isFirst
    ? hideable(view, { start: 0, end: split, ...options })
    : hideableBefore(view, split, options);
  if (hidden.length === 0) {
    return { type: "refused", error: "There are not enough messages to condense before the part that is kept." };
  }
  const next = isFirst ? firstKept(view, hidden) : entryAfter(view, hidden);
  const plan = planHiding(messages, hidden, { taskId, countTokens, goal: [], carried: [], kept, standing, next });
  // The assistant's message must come right after a user's turn, so nothing may be said in between.
  const isAcknowledged = next?.message.role !== "assistant";
  return {
    ...plan,
    isAcknowledged,
    ...(isFirst && next !== undefined ? { standInsAt: placeBefore(next, hidden) } : {}),
  };
}

/** The oldest entry that stays. */
function firstKept(view: readonly ViewEntry[], hidden: readonly ViewEntry[]): ViewEntry | undefined {
  const hiddenEntries = new Set(hidden);
  return view.find((entry) => !hiddenEntries.has(entry));
}

/** The index right behind the last entry hidden before `next`: messages that older folds hide may lie between, see `applyCondensation`. */
function placeBefore(next: ViewEntry, hidden: readonly ViewEntry[]): number {
  const before = hidden.findLast(({ logIndex }) => logIndex < next.logIndex);
  return before === undefined ? next.logIndex : before.logIndex + 1;
}

/** Where the kept part of the view begins: never between an earlier snapshot and its acknowledgement. */
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

/** The stand-ins of a snapshot: the snapshot itself and, where the plan says so, the assistant's acknowledgement. */
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
