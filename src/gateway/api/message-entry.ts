import { liveTags, markerId, type StandIns, summaryId } from "../../core/message/effective-view.ts";
import type { BlockFold, Content, Message } from "../../core/message/message.ts";
import { countMessageTokens } from "../../core/tokens/count-messages.ts";

/** A message as the API returns it. Fields that are particular to a provider are in its blocks. */
export interface MessageEntry {
  readonly index: number;
  readonly id: string | undefined;
  readonly ts: number | undefined;
  readonly role: Message["role"];
  readonly content: Content;
  readonly tokens: number;
  readonly important: boolean | undefined;
  readonly hiddenBy: string | undefined;
  readonly standsFor: { readonly foldId: string; readonly kind: "condense" | "truncate" } | undefined;
  readonly folds: readonly BlockFold[] | undefined;
}

export function messageEntry(message: Message, index: number, standIns: StandIns): MessageEntry {
  const { id, ts, role, content, important, folds } = message;
  const { condenseParent, truncationParent } = liveTags(message, standIns);
  return {
    index,
    id,
    ts,
    role,
    content,
    tokens: countMessageTokens(message),
    important,
    hiddenBy: condenseParent ?? truncationParent,
    standsFor: standsFor(message),
    folds: folds?.map(({ foldId, kind, blockIndex, standIn, hiddenTokens }) => {
      return { foldId, kind, blockIndex, standIn, hiddenTokens };
    }),
  };
}

function standsFor(message: Message): MessageEntry["standsFor"] {
  const condenseId = summaryId(message);
  if (condenseId !== undefined) return { foldId: condenseId, kind: "condense" };
  const truncationId = markerId(message);
  return truncationId === undefined ? undefined : { foldId: truncationId, kind: "truncate" };
}
