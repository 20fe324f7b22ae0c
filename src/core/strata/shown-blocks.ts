import type { Message } from "../message/message.ts";
import { describeBlocks, type MessageLabel } from "./describe-message.ts";
import { blockRunsWithin, type StrataRow } from "./strata-row.ts";
import { blockShownAs, type ShownAs, type StrataRun, type StrataState } from "./strata-state.ts";

/** How a range of requests showed one block of a message. */
export interface ShownBlock extends MessageLabel {
  readonly tokens: number;
  /** How the current view shows it; undefined where the log does not have the message now. */
  readonly nowState: StrataState | undefined;
  /** The fold that hides it in the current view, if one does. */
  readonly nowFoldId: string | undefined;
  readonly runs: readonly StrataRun[];
}

export interface ShownBlocksOptions {
  /** The message in the current log, and how the current view shows it; undefined where the log does not have it. */
  readonly now: { readonly message: Message; readonly shown: ShownAs } | undefined;
  /** The first request of the range. */
  readonly from: number;
  /** The end of the range, exclusive. */
  readonly to: number;
}

/** How a range of requests showed each block of a message. */
export function shownBlocks(row: StrataRow, { now, from, to }: ShownBlocksOptions): readonly ShownBlock[] {
  return describeBlocks(row.message).map((described, block) => {
    const shown = now && blockShownAs(now.shown, now.message.folds ?? [], block);
    const runs = blockRunsWithin(row, block, { from, to });
    return { ...described, nowState: shown?.state, nowFoldId: shown?.foldId, runs };
  });
}
