import { type BlockFoldRequest, foldBlocks } from "../message/block-folds.ts";
import type { Block, Message } from "../message/message.ts";
import type { HiddenTotal } from "../truncate/hidden-totals.ts";

/** A condensation that was decided on: what will be hidden, and what a model must read to write the summary. */
export interface CondensationPlan {
  readonly type: "condense";
  readonly condenseId: string;
  /** Indexes into the log, ascending; never empty. */
  readonly hidden: readonly number[];
  /** Stand-ins for the parts that do not bind in messages that stay for the parts that do. */
  readonly trims: readonly BlockFoldRequest[];
  /** Everything that the summary will stand for; for an older stand-in that it hides, what that one stands for. */
  readonly total: HiddenTotal;
  /** The messages that the model reads, as the view shows them: the goal, then what will be hidden, without the text of the newest summary. */
  readonly toSummarize: readonly Message[];
  /** The text of the newest summary among them: the model is to integrate it, not to summarise it again. */
  readonly earlierSummary?: string;
  /** Reasoning and tool calls of hidden messages whose results stay visible: the stand-in must carry them. */
  readonly carried: readonly Block[];
  /** Index into the log at which the stand-ins are put. @default right behind the last hidden message */
  readonly standInsAt?: number;
  /** The time of the stand-ins: just before that of the message that follows in the view. */
  readonly ts?: number;
}

/** The expected outcome where there is nothing to condense. */
export interface CondensationRefusal {
  readonly type: "refused";
  readonly error: string;
}

/** Hides the planned messages behind their stand-ins; all other messages stay the same objects. */
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
  // Right behind the last hidden message: messages that an older fold hides may lie between it and the kept tail, and when they
  // are restored, the summary must not stand between a call of theirs and its result.
  return tagged.toSpliced(plan.standInsAt ?? (plan.hidden.at(-1) ?? -1) + 1, 0, ...standIns);
}
