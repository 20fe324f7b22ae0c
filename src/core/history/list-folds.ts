import { checkMessages } from "../message/check-messages.ts";
import { markerId, summaryId } from "../message/effective-view.ts";
import type { FoldKind } from "../message/fold-id.ts";
import type { Message } from "../message/message.ts";

/** One fold of a log, as a person would want it listed. */
export interface Fold {
  readonly foldId: string;
  readonly kind: FoldKind;
  /** Messages that it hides whole. */
  readonly messages: number;
  /** Blocks that it shows as stand-ins. */
  readonly blocks: number;
}

/** Every fold of the log, in the order in which their first traces appear. */
export function listFolds(messages: readonly Message[]): readonly Fold[] {
  checkMessages(messages);
  const folds = new Map<string, Fold>();
  const record = (foldId: string, kind: FoldKind, added: { messages: number; blocks: number }) => {
    const known = folds.get(foldId) ?? { foldId, kind, messages: 0, blocks: 0 };
    folds.set(foldId, { ...known, messages: known.messages + added.messages, blocks: known.blocks + added.blocks });
  };
  const standIns = { condense: new Set(), truncate: new Set() };
  for (const message of messages) {
    standIns.condense.add(summaryId(message));
    standIns.truncate.add(markerId(message));
  }
  for (const message of messages) {
    const condenseId = summaryId(message);
    if (condenseId !== undefined) record(condenseId, "condense", { messages: 0, blocks: 0 });
    const truncationId = markerId(message);
    if (truncationId !== undefined) record(truncationId, "truncate", { messages: 0, blocks: 0 });
    const { condenseParent, truncationParent } = message;
    // A damaged log may tag a stand-in with its own id; that hides nothing.
    if (condenseParent !== undefined && condenseParent !== condenseId && standIns.condense.has(condenseParent)) {
      record(condenseParent, "condense", { messages: 1, blocks: 0 });
    }
    if (
      truncationParent !== undefined &&
      truncationParent !== truncationId &&
      standIns.truncate.has(truncationParent)
    ) {
      record(truncationParent, "truncate", { messages: 1, blocks: 0 });
    }
    for (const fold of message.folds ?? []) record(fold.foldId, fold.kind, { messages: 0, blocks: 1 });
  }
  return [...folds.values()];
}
