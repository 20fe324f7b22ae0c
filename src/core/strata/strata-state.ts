import { isHidden, isStandIn, liveTags, markerId, type StandIns, summaryId } from "../message/effective-view.ts";
import type { BlockFold, Message } from "../message/message.ts";

/** What a request showed of a message. */
export type StrataState = "sent" | "cached" | "stand-in" | "hidden" | "restored";

export interface ShownAs {
  readonly state: StrataState;
  /** The fold that hides it, or whose stand-in is shown. */
  readonly foldId: string | undefined;
}

const SENT: ShownAs = { state: "sent", foldId: undefined };

/** How the view of a log shows a message of it, before it is known what was cached or restored. */
export function shownAs(message: Message, standIns: StandIns): ShownAs {
  if (isHidden(message, standIns)) {
    const { condenseParent, truncationParent } = liveTags(message, standIns);
    return { state: "hidden", foldId: condenseParent ?? truncationParent };
  }
  if (isStandIn(message)) return { state: "stand-in", foldId: summaryId(message) ?? markerId(message) };
  const [fold] = message.folds ?? [];
  return fold === undefined ? SENT : { state: "stand-in", foldId: fold.foldId };
}

/** How one block of a message is shown, where the message is shown like this with these block folds. */
export function blockShownAs(shown: ShownAs, folds: readonly BlockFold[], block: number): ShownAs {
  if (shown.state !== "stand-in" || folds.length === 0) return shown;
  const fold = folds.findLast(({ blockIndex }) => blockIndex === block);
  return fold === undefined ? SENT : { state: "stand-in", foldId: fold.foldId };
}

/** Requests in a row that show a message the same way: the first and the last of them. */
export type StrataRun = readonly [first: number, last: number, state: StrataState, foldId?: string];
