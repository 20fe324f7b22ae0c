import { type BlockFoldRequest, foldBlocks } from "../message/block-folds.ts";
import type { Message } from "../message/message.ts";
import type { HiddenTotal } from "./hidden-totals.ts";
import { markerText } from "./stand-in.ts";

/** A decided truncation: which messages of a log to hide, and where their marker goes. */
export interface Truncation {
  readonly truncationId: string;
  /** Indexes into the log. */
  readonly hidden: ReadonlySet<number>;
  /** Index of the first message kept after the hidden ones: in the view, the marker comes right before it. */
  readonly firstKept: number;
  /** Stand-ins for what does not bind in messages that stay because of something else in them. @default none */
  readonly trims?: readonly BlockFoldRequest[];
  /** All that the marker stands for, also through older stand-ins that it hides. */
  readonly total: HiddenTotal;
}

/** Tags the hidden messages and inserts their marker; all others stay the same objects. */
export function applyTruncation(messages: readonly Message[], truncation: Truncation): readonly Message[] {
  const { truncationId, hidden, trims = [] } = truncation;
  const tagged = foldBlocks(messages, { foldId: truncationId, kind: "clear" }, trims).map((message, index) =>
    hidden.has(index) ? { ...message, truncationParent: truncationId } : message,
  );
  // Not right before the first kept one: messages that an older fold hides may lie between, and when they come back, the
  // marker must not stand between a call of theirs and its result.
  const position = messages.findLastIndex((_, index) => hidden.has(index)) + 1;
  return tagged.toSpliced(position, 0, truncationMarker(messages, truncation));
}

/** The message that stands where others were hidden. Just before the first kept one in time, so that sorting by `ts` keeps it there. */
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
