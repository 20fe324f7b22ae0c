import { type BlockFoldRequest, foldBlocks } from "../message/block-folds.ts";
import type { Block, Message } from "../message/message.ts";
import type { HiddenTotal } from "../truncate/hidden-totals.ts";

/** A decided condensation: what will be hidden, and what a model must read to write the summary. */
export interface CondensationPlan {
  readonly type: "condense";
  readonly condenseId: string;
  /** Indexes into the log, ascending; never empty. */
  readonly hidden: readonly number[];
  /** Stand-ins for what does not bind in messages that stay because of something else in them. */
  readonly trims: readonly BlockFoldRequest[];
  /** All that the summary will stand for, also through older stand-ins that it hides. */
  readonly total: HiddenTotal;
  /** What the model reads, as the view shows it: the goal, then what will be hidden, without what the newest summary tells. */
  readonly toSummarize: readonly Message[];
  /** What the newest summary among these tells: to be integrated, not summarised again. */
  readonly earlierSummary?: string;
  /** Reasoning and tool calls of hidden messages whose results stay visible: the stand-in must carry them. */
  readonly carried: readonly Block[];
  /** Index into the log at which the stand-ins are put. @default right behind the last hidden message */
  readonly standInsAt?: number;
  /** Just before the message that follows in the view. */
  readonly ts?: number;
}

/** Why there is nothing to condense: expected, and no fault. */
export interface CondensationRefusal {
  readonly type: "refused";
  readonly error: string;
}

/** Hides what the plan says behind the stand-ins that were made for it; all other messages stay the same objects. */
export function applyCondensation(
  messages: readonly Message[],
  plan: CondensationPlan,
  standIns: readonly Message[],
): readonly Message[] {
  const { condenseId, trims } = plan;
  const tagged = [...foldBlocks(messages, { foldId: condenseId, kind: "clear" }, trims)];
  for (const index of plan.hidden) {
    const message = tagged[index];
    if (message !== undefined) tagged[index] = { ...message, condenseParent: condenseId };
  }
  // Right behind the last hidden one, for messages that an older fold hides may lie between it and the kept tail: when they
  // come back, the summary must not stand between a call of theirs and its result.
  return tagged.toSpliced(plan.standInsAt ?? (plan.hidden.at(-1) ?? -1) + 1, 0, ...standIns);
}
