import { hidingFolds } from "../message/block-folds.ts";
import { checkMessages } from "../message/check-messages.ts";
import { collectStandIns, liveTags, markerId, summaryId } from "../message/effective-view.ts";
import type { FoldKind } from "../message/fold-id.ts";
import { logSegments, segmentFacts } from "../message/log-segments.ts";
import type { BlockFold, Message } from "../message/message.ts";

/** One fold of a log, and how much it hides. */
export interface Fold {
  readonly foldId: string;
  readonly kind: FoldKind;
  /** Messages that it hides whole. */
  readonly messages: number;
  /** Blocks that it shows as stand-ins. */
  readonly blocks: number;
}

/** For one segment: the kinds of its block folds, by fold id. */
const blockFoldKinds = segmentFacts(
  (messages): ReadonlyMap<string, FoldKind> =>
    new Map(messages.flatMap(hidingFolds).map(({ foldId, kind }) => [foldId, kind])),
);

/** For one segment: the ids of all folds that it holds a stand-in of. */
const foldIds = segmentFacts(
  (messages): ReadonlySet<string> =>
    new Set(
      messages.flatMap((message) => {
        const ids = [summaryId(message), markerId(message), ...hidingFolds(message).map(({ foldId }) => foldId)];
        return ids.filter((id) => id !== undefined);
      }),
    ),
);

/** How many folds `listFolds` returns, at less cost. */
export function countFolds(messages: readonly Message[]): number {
  const ids = new Set<string>();
  for (const segment of logSegments(messages)) for (const id of foldIds(segment)) ids.add(id);
  return ids.size;
}

/** The kind of a fold as `listFolds` has it, at less cost; undefined where the log has no fold of that id. */
export function foldKindIn(messages: readonly Message[], foldId: string): FoldKind | undefined {
  const { condenseIds, truncationIds } = collectStandIns(messages);
  if (condenseIds.has(foldId) && truncationIds.has(foldId)) {
    return listFolds(messages).find((fold) => fold.foldId === foldId)?.kind;
  }
  if (condenseIds.has(foldId)) return "condense";
  if (truncationIds.has(foldId)) return "truncate";
  const segment = logSegments(messages).findLast((candidate) => blockFoldKinds(candidate).has(foldId));
  return segment && blockFoldKinds(segment).get(foldId);
}

/**
 * Lists the folds of a log that hide something, those of single blocks first. All of them can be restored in this order; in another one, the clip
 * of a summary may be gone already with that summary.
 * @example
 * ```ts
 * import { compact, listFolds, type Message } from "palimpsest";
 * const log = Array.from({ length: 40 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `Step ${at}. `.repeat(40) }));
 * const { messages } = compact(log, 3_000);
 * console.log(listFolds(messages).map((fold) => `${fold.kind}: ${fold.messages} messages`)); // [ 'condense: 37 messages' ]
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
  for (const fold of [...blockFolds.filter((fold) => !hasStandIn(fold)), ...blockFolds.filter(hasStandIn)]) {
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
