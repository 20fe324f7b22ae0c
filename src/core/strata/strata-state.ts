import { isHidden, isStandIn, liveTags, markerId, type StandIns, summaryId } from "../message/effective-view.ts";
import type { BlockFold, Message } from "../message/message.ts";

/** How a request showed a message. `cached` messages were read from the provider's cache; `restored` ones had been hidden before. */
export type StrataState = "sent" | "cached" | "stand-in" | "hidden" | "restored";

export interface ShownAs {
  readonly state: StrataState;
  /** The fold that hides it, or whose stand-in is shown. */
  readonly foldId: string | undefined;
}

const SENT: ShownAs = { state: "sent", foldId: undefined };

/** How the view of a log shows one of its messages, without regard to what was cached or restored. */
export function shownAs(message: Message, standIns: StandIns): ShownAs {
  if (isHidden(message, standIns)) {
    const { condenseParent, truncationParent } = liveTags(message, standIns);
    return { state: "hidden", foldId: condenseParent ?? truncationParent };
  }
  if (isStandIn(message)) return { state: "stand-in", foldId: summaryId(message) ?? markerId(message) };
  const [fold] = message.folds ?? [];
  return fold === undefined ? SENT : { state: "stand-in", foldId: fold.foldId };
}

/** How one block of a message is shown, given how the message is shown and its block folds. */
export function blockShownAs(shown: ShownAs, folds: readonly BlockFold[], block: number): ShownAs {
  if (shown.state !== "stand-in" || folds.length === 0) return shown;
  const fold = folds.findLast(({ blockIndex }) => blockIndex === block);
  return fold === undefined ? SENT : { state: "stand-in", foldId: fold.foldId };
}

/** A run of requests that show a message the same way, by its first and its last request. */
export type StrataRun = readonly [first: number, last: number, state: StrataState, foldId?: string];
