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
   * The prompt's size was told, not measured: then a fraction is taken even where the gauge says that the view fits, for
   * whoever told it knows better.
   */
  readonly isTold: boolean;
  /** A summary made just now. It stands for all that it hides, so it must not be the oldest message that goes first. */
  readonly freshSummaryId?: string | undefined;
  /** The prompt that a log would be sent as, by whoever knows best. */
  readonly measure: (messages: readonly Message[]) => number | Promise<number>;
  /** Which tool results have a file that their stand-ins name. */
  readonly offload?: OffloadRule | undefined;
}

export interface Truncated {
  readonly messages: readonly Message[];
  readonly foldIds: readonly string[];
  readonly truncationId?: string;
  readonly messagesRemoved: number;
}

/** A gauge takes all messages alike: each round starts from the same log, with one that was put right. */
const MAX_ROUNDS = 4;

/** Truncates, and clips what is too large on its own, until the prompt is measured to fit or nothing more can go. */
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
  if (selection.type === "fraction" && run.isTold) {
    const bite = truncateConversation(messages, selection.fracToRemove ?? DEFAULT_FRACTION, taskId);
    const { truncationId } = bite;
    if (truncationId !== undefined && gauge.measure(bite.messages) <= allowedTokens) {
      return { ...bite, foldIds: [truncationId] };
    }
  }
  // From the whole log again, so that one marker stands for all that goes.
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

function pin(messages: readonly Message[], condenseId: string | undefined): readonly Message[] {
  return messages.map((message) => (isOf(message, condenseId) ? { ...message, important: true } : message));
}

/** The summary as it was, but for what the truncation did to it. */
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
