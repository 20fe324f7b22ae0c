import { verifyFold } from "../../core/history/verify-fold.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import { shedBytes, type ViewLimits } from "../../core/truncate/bytes/shed-bytes.ts";
import { measureViewSize } from "../../core/truncate/bytes/view-size.ts";
import { type Assessment, assess, logCheck } from "./assess.ts";
import { mayTruncate, type Progress } from "./fold-once.ts";
import type { LiveSession } from "./live-session.ts";

/** How often the view is tried again because another process rewrote the log; then it is sent as it is. */
const MAX_LOST_RACES = 8;

/** Whether the view is within the limits of bytes and images. Without limits, nothing is measured. */
function isWithinLimits({ view }: Assessment, { maxViewBytes, maxImages }: ViewLimits): boolean {
  if (maxViewBytes === undefined && maxImages === undefined) return true;
  const { bytes, images } = measureViewSize(view);
  return bytes <= (maxViewBytes ?? bytes) && images <= (maxImages ?? images);
}

/** Folds blocks until the view is within the limits. Undefined where it is, or where no block can be folded. */
export async function shedView(
  session: LiveSession,
  start: Assessment,
  limits: ViewLimits,
): Promise<{ readonly assessment: Assessment; readonly folded: Progress } | undefined> {
  let assessment = start;
  const { reserve } = start;
  for (let lostRaces = 0; lostRaces <= MAX_LOST_RACES && !isWithinLimits(assessment, limits); lostRaces++) {
    const base = await session.log.whole();
    const { messages, foldIds } = shedBytes(base.messages, {
      ...limits,
      // With truncation switched off, no text may be hidden without a summary. Media may: the caller passed the limit for them.
      foldsText: mayTruncate(session),
      countTokens: session.countTokens,
      taskId: session.id,
    });
    if (foldIds.length === 0 || verifyFold(base.messages, messages) !== undefined) return undefined;
    // Stand-ins may take more tokens than we count for the media behind them. Without truncation, no later fold could make up for that.
    const isTooLong = session.meter().foretell(effectiveView(messages)) > assessment.decision.allowedTokens;
    if (isTooLong && !mayTruncate(session)) return undefined;
    logCheck(session, assessment, "shed-bytes");
    if (!(await session.log.commit(base, messages))) {
      assessment = assess(session, { reserve });
      continue;
    }
    const { prevContextTokens } = assessment.context;
    assessment = assess(session, { reserve });
    const sizes = { prevContextTokens, newContextTokens: assessment.context.prevContextTokens };
    session.record({ type: "blocks_folded", at: session.ports.now(), foldIds, ...sizes });
    return { assessment, folded: { foldIds, cost: 0, lostRace: false } };
  }
  return undefined;
}
