import { PalimpsestError } from "../../core/errors.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import { restoreMessages } from "../../core/history/restore.ts";
import type { Message } from "../../core/message/message.ts";
import type { ViewLimits } from "../../core/truncate/bytes/shed-bytes.ts";
import { measureViewSize } from "../../core/truncate/bytes/view-size.ts";
import { type Assessment, assess } from "./assess.ts";
import { mayTruncate, type Progress } from "./fold-once.ts";
import type { LiveSession } from "./live-session.ts";

/** Reports about system prompt and tools are believed as long as they leave this share of the window for the conversation. */
const LEAST_FREE_SHARE = 0.2;

/** Throws "cannot-fit" where system prompt and tools alone fill the window. Returns a new assessment where only wrong reports said so. */
export function assertRoom(session: LiveSession, assessment: Assessment): Assessment {
  const meter = session.meter();
  const { contextWindow, inputLimitTokens = contextWindow } = session.model();
  const mostTokens = Math.min(contextWindow, inputLimitTokens);
  if (meter.overheadTokens() <= (1 - LEAST_FREE_SHARE) * mostTokens) return assessment;
  // The reports may be wrong: our own count decides.
  meter.forgetReports();
  const overheadTokens = meter.overheadTokens();
  if (overheadTokens < mostTokens) return assess(session);
  throw new PalimpsestError(
    "cannot-fit",
    `System prompt and tools take ${overheadTokens} tokens, but the longest prompt is ${mostTokens}. ${REMEDY}`,
  );
}

/** Throws where the view could not be made to fit, after undoing this prepare's folds. A condensation stays: it is paid for. */
export async function assertFit(
  session: LiveSession,
  { decision, context }: Assessment,
  progress: Progress,
): Promise<void> {
  if (!decision.mustShrink) return;
  await undoFolds(session, progress.foldIds);
  if (progress.lostRace) {
    throw new PalimpsestError(
      "conflict",
      `Others kept rewriting the session ${JSON.stringify(session.id)} while its view was folded. Try again.`,
    );
  }
  const limit = limitOf(session, decision.allowedTokens);
  const size = `The prompt has ${context.prevContextTokens} tokens`;
  if (!mayTruncate(session)) {
    throw new PalimpsestError(
      "cannot-fit",
      `${size}, but ${limit} Condensing did not help (${whyNot(progress)}), and strategies.fallback is "error". ` +
        'Set it to "truncation", or call condense() when the cause is mended.',
    );
  }
  const overhead = `system prompt and tools take ${session.meter().overheadTokens()} of them`;
  throw new PalimpsestError("cannot-fit", `${size} with all folded that can be (${overhead}), but ${limit} ${REMEDY}`);
}

/** Warnings about a view that fits the window but exceeds the limits of bytes or images. */
export function limitWarnings(
  view: readonly Message[],
  { maxViewBytes = Number.POSITIVE_INFINITY, maxImages = Number.POSITIVE_INFINITY }: ViewLimits,
): readonly string[] {
  if (maxViewBytes === Number.POSITIVE_INFINITY && maxImages === Number.POSITIVE_INFINITY) return [];
  const { bytes, images } = measureViewSize(view);
  const rest = "with all folded that can be. The provider may refuse it.";
  return [
    ...(bytes > maxViewBytes ? [`The view takes ${bytes} bytes, over maxViewBytes (${maxViewBytes}), ${rest}`] : []),
    ...(images > maxImages ? [`The view shows ${images} images, over maxImages (${maxImages}), ${rest}`] : []),
  ];
}

function whyNot({ condensed }: Progress): string {
  if (condensed === undefined) return "it was not tried";
  return condensed.error ?? "the summary does not save enough";
}

const REMEDY = "Shorten what cannot be folded, lower maxTokens, or use a model with a larger window.";

function limitOf(session: LiveSession, allowedTokens: number): string {
  const { contextWindow, maxTokens } = session.model();
  const allowed = Math.max(0, Math.floor(allowedTokens));
  return `a window of ${contextWindow} with ${maxTokens} for the reply allows ${allowed}.`;
}

async function undoFolds(session: LiveSession, foldIds: readonly string[]): Promise<void> {
  const base = await session.log.whole();
  const undone = listFolds(base.messages).filter(({ foldId, kind }) => kind !== "condense" && foldIds.includes(foldId));
  if (undone.length === 0) return;
  const restored = undone.reduce((messages, { foldId }) => restoreMessages(messages, foldId), base.messages);
  // Another process rewrote the log meanwhile: its folds are not ours to undo.
  if (!(await session.log.commit(base, restored))) return;
  for (const { foldId } of undone) session.record({ type: "restored", at: session.ports.now(), foldId });
}
