import { effectiveView, markerId, summaryId } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { TruncationSelection } from "../../core/truncate/fit-options.ts";
import type { OffloadRule } from "../../core/truncate/offload.ts";
import { truncateConversation } from "../../core/truncate/truncate-conversation.ts";
import { truncateToFit } from "../../core/truncate/truncate-to-fit.ts";
import type { PromptGauge } from "./prompt-gauge.ts";

export interface TruncateRun {
  readonly taskId: string;
  readonly gauge: PromptGauge;
  readonly allowedTokens: number;
  readonly selection: TruncationSelection;
  /**
   * Whether the prompt's size is what the caller reported, and no rung has changed the log yet. Then a fraction is hidden even where the gauge says
   * that the view fits, as the report is more exact.
   */
  readonly isReported: boolean;
  /** The id of a summary that was made by the same plan. It must not be hidden as the oldest message: it stands for all that it hides. */
  readonly freshSummaryId?: string | undefined;
  /** Measures the prompt with a log's view. */
  readonly measure: (messages: readonly Message[]) => number | Promise<number>;
  /** Which tool results have a file that stand-ins can name. */
  readonly offload?: OffloadRule | undefined;
}

export interface Truncated {
  readonly messages: readonly Message[];
  readonly foldIds: readonly string[];
  readonly truncationId?: string;
  readonly messagesRemoved: number;
}

/** A gauge has one ratio for all messages, and may be wrong about those that are left: each round starts from the same log with a corrected gauge. */
const MAX_ROUNDS = 4;

/** Truncates, and clips messages that are too large on their own, until the prompt is measured to fit or nothing is left to hide. */
export async function truncateRung(
  messages: readonly Message[],
  run: TruncateRun,
): Promise<Truncated & { readonly promptTokens: number }> {
  const attempt = async (gauge: PromptGauge) => {
    const truncated = truncateOnce(messages, { ...run, gauge });
    return { ...truncated, promptTokens: await run.measure(truncated.messages) };
  };
  let { gauge } = run;
  let best = await attempt(gauge);
  for (let round = 1; round < MAX_ROUNDS && best.promptTokens > run.allowedTokens; round++) {
    gauge = gauge.corrected(best.messages, best.promptTokens);
    const next = await attempt(gauge);
    if (next.promptTokens >= best.promptTokens) break;
    best = next;
  }
  return best;
}

function truncateOnce(messages: readonly Message[], run: TruncateRun): Truncated {
  const { taskId, gauge, allowedTokens, selection, freshSummaryId } = run;
  if (selection.type === "fraction" && run.isReported) {
    const truncated = truncateConversation(messages, selection.fracToRemove ?? DEFAULT_FRACTION, taskId);
    const { truncationId } = truncated;
    if (truncationId !== undefined && gauge.measure(truncated.messages) <= allowedTokens) {
      return { ...truncated, foldIds: [truncationId] };
    }
  }
  // From the log before the fraction, so that there is one marker for all that is hidden.
  const fitted = truncateToFit(pin(messages, freshSummaryId), {
    allowedTokens: gauge.viewTokens(allowedTokens),
    countTokens: gauge.countTokens,
    selection,
    taskId,
    offload: run.offload,
  });
  if (fitted.foldIds.length === 0) return { messages, foldIds: [], messagesRemoved: 0 };
  const folded = unpin(fitted.messages, messages, freshSummaryId);
  const truncationId = effectiveView(folded)
    .map(markerId)
    .find((id) => id !== undefined && fitted.foldIds.includes(id));
  return {
    messages: folded,
    foldIds: fitted.foldIds,
    messagesRemoved: fitted.messagesHidden,
    ...(truncationId === undefined ? {} : { truncationId }),
  };
}

const DEFAULT_FRACTION = 0.5;

/** Marks a summary as important, so that truncation hides it last. */
function pin(messages: readonly Message[], condenseId: string | undefined): readonly Message[] {
  return messages.map((message) => (isOf(message, condenseId) ? { ...message, important: true } : message));
}

/** Undoes `pin`; tags that the truncation added to the summary stay. */
function unpin(
  messages: readonly Message[],
  before: readonly Message[],
  condenseId: string | undefined,
): readonly Message[] {
  const originals = before.filter((message) => isOf(message, condenseId)).values();
  return messages.map((message) => {
    const original = isOf(message, condenseId) ? originals.next().value : undefined;
    if (original === undefined) return message;
    const { truncationParent, folds } = message;
    if (truncationParent === original.truncationParent && folds === original.folds) return original;
    return {
      ...original,
      ...(truncationParent === undefined ? {} : { truncationParent }),
      ...(folds === undefined ? {} : { folds }),
    };
  });
}

function isOf(message: Message, condenseId: string | undefined): boolean {
  return condenseId !== undefined && summaryId(message) === condenseId;
}
