import { verifyFold } from "../../core/history/verify-fold.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import { shedBytes, type ViewLimits } from "../../core/truncate/bytes/shed-bytes.ts";
import { measureViewSize } from "../../core/truncate/bytes/view-size.ts";
import { mayTruncate, type Progress } from "./fold-once.ts";
import { type Assessment, assess, type LiveSession, logCheck } from "./live-session.ts";

/** Others may rewrite a log again and again; after so many times the view is sent as it is. */
const MAX_LOST_RACES = 8;

/** Whether the view is within what the provider takes besides tokens. Where no limit is given, nothing is measured. */
export function isWithinLimits({ view }: Assessment, { maxViewBytes, maxImages }: ViewLimits): boolean {
  if (maxViewBytes === undefined && maxImages === undefined) return true;
  const { bytes, images } = measureViewSize(view);
  return bytes <= (maxViewBytes ?? bytes) && images <= (maxImages ?? images);
}

/** Folds blocks until the view is within the limits. Undefined where that is not needed, or nothing can be done about it. */
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
      // Who switched truncation off wants no text hidden without a summary; media were asked for by the limit.
      foldsText: mayTruncate(session),
      countTokens: session.countTokens,
      taskId: session.id,
    });
    if (foldIds.length === 0 || verifyFold(base.messages, messages) !== undefined) return undefined;
    // Notes may take more tokens than we count for what they stand for; without truncation nothing would make up for it.
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
