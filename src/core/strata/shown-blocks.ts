import type { Message } from "../message/message.ts";
import { describeBlocks, type MessageLabel } from "./describe-message.ts";
import { blockRunsWithin, type StrataRow } from "./strata-row.ts";
import { blockShownAs, type ShownAs, type StrataRun, type StrataState } from "./strata-state.ts";

/** One block of a message over some requests. */
export interface ShownBlock extends MessageLabel {
  readonly tokens: number;
  /** How the view shows it now, and the fold that does; undefined where the log does not have it. */
  readonly nowState: StrataState | undefined;
  readonly nowFoldId: string | undefined;
  readonly runs: readonly StrataRun[];
}

export interface ShownBlocksOptions {
  /** The message as the log has it now, and how the view shows it; undefined where the log does not have it. */
  readonly now: { readonly message: Message; readonly shown: ShownAs } | undefined;
  /** The first request, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

/** Each block of a message, like a row of its own. */
export function shownBlocks(row: StrataRow, { now, from, to }: ShownBlocksOptions): readonly ShownBlock[] {
  return describeBlocks(row.message).map((described, block) => {
    const shown = now && blockShownAs(now.shown, now.message.folds ?? [], block);
    const runs = blockRunsWithin(row, block, { from, to });
    return { ...described, nowState: shown?.state, nowFoldId: shown?.foldId, runs };
  });
}
