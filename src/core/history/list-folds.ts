import { hidingFolds } from "../message/block-folds.ts";
import { checkMessages } from "../message/check-messages.ts";
import { collectStandIns, liveTags, markerId, summaryId } from "../message/effective-view.ts";
import type { FoldKind } from "../message/fold-id.ts";
import { logSegments, segmentFacts } from "../message/log-segments.ts";
import type { BlockFold, Message } from "../message/message.ts";

/** One fold of a log, as a person would want it listed. */
export interface Fold {
  readonly foldId: string;
  readonly kind: FoldKind;
  /** Messages that it hides whole. */
  readonly messages: number;
  /** Blocks that it shows as stand-ins. */
  readonly blocks: number;
}

const blockFoldKinds = segmentFacts(
  (messages): ReadonlyMap<string, FoldKind> =>
    new Map(messages.flatMap(hidingFolds).map(({ foldId, kind }) => [foldId, kind])),
);

/** The kind of a fold as `listFolds` tells it, without a list of all; undefined where nothing is folded by it. */
export function foldKindIn(messages: readonly Message[], foldId: string): FoldKind | undefined {
  const { condenseIds, truncationIds } = collectStandIns(messages);
  if (condenseIds.has(foldId) && truncationIds.has(foldId)) {
    return listFolds(messages).find((fold) => fold.foldId === foldId)?.kind;
  }
  if (condenseIds.has(foldId)) return "condense";
  if (truncationIds.has(foldId)) return "truncate";
  const segment = logSegments(messages).findLast((each) => blockFoldKinds(each).has(foldId));
  return segment && blockFoldKinds(segment).get(foldId);
}

/**
 * Every fold of the log that hides something, those of blocks first. They can be restored in this order; in another, the clip of a summary may
 * be gone with its summary.
 * @example
 * ```ts
 * import { compact, listFolds, type Message } from "palimpsest";
 * const log = Array.from({ length: 40 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${at} `.repeat(200) }));
 * const { messages, foldIds } = compact(log, 3_000);
 * console.log(listFolds(messages).map(({ foldId }) => foldId).toSorted().join() === foldIds.toSorted().join()); // true
 * ```
 */
export function listFolds(messages: readonly Message[]): readonly Fold[] {
  checkMessages(messages);
  const standIns = collectStandIns(messages);
  const folds = new Map<string, Fold>();
  const record = (foldId: string | undefined, kind: FoldKind, added: { messages?: number; blocks?: number }) => {
    if (foldId === undefined) return;
    const { messages: hidden, blocks } = folds.get(foldId) ?? { messages: 0, blocks: 0 };
    const { messages: more = 0, blocks: moreBlocks = 0 } = added;
    folds.set(foldId, { foldId, kind, messages: hidden + more, blocks: blocks + moreBlocks });
  };
  const blockFolds = messages.flatMap(hidingFolds);
  const hasStandIn = ({ foldId }: BlockFold) => standIns.condenseIds.has(foldId) || standIns.truncationIds.has(foldId);
  // A condensation may shorten blocks too: restored before the clip of its summary, it would take that clip with it.
  for (const fold of [...blockFolds.filter((each) => !hasStandIn(each)), ...blockFolds.filter(hasStandIn)]) {
    record(fold.foldId, fold.kind, { blocks: 1 });
  }
  for (const message of messages) {
    record(summaryId(message), "condense", {});
    record(markerId(message), "truncate", {});
    const { condenseParent, truncationParent } = liveTags(message, standIns);
    record(condenseParent, "condense", { messages: 1 });
    record(truncationParent, "truncate", { messages: 1 });
  }
  return [...folds.values()];
}
