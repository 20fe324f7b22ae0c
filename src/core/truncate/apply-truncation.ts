import { type BlockFoldRequest, foldBlocks } from "../message/block-folds.ts";
import type { Message } from "../message/message.ts";
import type { HiddenTotal } from "./hidden-totals.ts";
import { markerText } from "./stand-in.ts";

/** A truncation that was decided on: which messages of a log to hide, and where to put their marker. */
export interface Truncation {
  readonly truncationId: string;
  /** Indexes into the log. */
  readonly hidden: ReadonlySet<number>;
  /** Index of the first message kept after the hidden ones: in the view, the marker comes right before it. */
  readonly firstKept: number;
  /** Stand-ins for the parts that do not bind in messages that stay for the parts that do. @default none */
  readonly trims?: readonly BlockFoldRequest[];
  /** Everything that the marker stands for; for an older stand-in that it hides, what that one stands for. */
  readonly total: HiddenTotal;
}

/** Tags the hidden messages and inserts their marker; all others stay the same objects. */
export function applyTruncation(messages: readonly Message[], truncation: Truncation): readonly Message[] {
  const { truncationId, hidden, trims = [] } = truncation;
  const tagged = foldBlocks(messages, { foldId: truncationId, kind: "clear" }, trims).map((message, index) =>
    hidden.has(index) ? { ...message, truncationParent: truncationId } : message,
  );
  // Not right before the first kept message: messages that an older fold hides may lie between, and when they are restored, the
  // marker must not stand between a call of theirs and its result.
  const position = messages.findLastIndex((_, index) => hidden.has(index)) + 1;
  return tagged.toSpliced(position, 0, truncationMarker(messages, truncation));
}

/** The message that stands where others were hidden. Its time is just before that of the first kept one, so that sorting by `ts` keeps it there. */
export function truncationMarker(messages: readonly Message[], truncation: Truncation): Message {
  const { truncationId, firstKept, total } = truncation;
  const ts = messages[firstKept]?.ts;
  return {
    id: truncationId,
    role: "user",
    content: markerText({ foldId: truncationId, ...total }),
    ...(ts === undefined ? {} : { ts: ts - 1 }),
    isTruncationMarker: true,
    truncationId,
  };
}
