import type { BlockFold, Message } from "../message/message.ts";
import { blockShownAs, type ShownAs, type StrataRun, type StrataState } from "./strata-state.ts";

/** A run of requests that showed a message the same way, with its folds, from which follows how they showed its blocks. */
interface ShownRun extends ShownAs {
  readonly first: number;
  readonly last: number;
  readonly isCached: boolean;
  /** The block folds that the message had then. */
  readonly folds: readonly BlockFold[];
}

/** One message, and how all requests showed it. */
export interface StrataRow {
  /** The message as it is in the newest log that has it. */
  message: Message;
  /** The message as it was first added. */
  readonly first: Message;
  /** The version of the record that added it. */
  readonly version: number;
  /** Whether the current log has it: a rewind may have removed it. */
  isInLog: boolean;
  /** Whether a request ever hid it, or part of it. */
  wasHidden: boolean;
  /** Runs that have ended. */
  readonly closed: ShownRun[];
  /** The run that goes on. */
  open: ShownRun | undefined;
}

export function newRow(message: Message, version: number): StrataRow {
  return { message, first: message, version, isInLog: true, wasHidden: false, closed: [], open: undefined };
}

const NO_FOLDS: readonly BlockFold[] = [];

/** Sets how the message is shown from this request on; undefined where it is not part of the request. */
export function showRow(
  row: StrataRow,
  request: number,
  shown: (ShownAs & { readonly isCached: boolean }) | undefined,
) {
  const { open } = row;
  const folds = shown?.state === "stand-in" ? (row.message.folds ?? NO_FOLDS) : NO_FOLDS;
  const isSame = open?.state === shown?.state && open?.foldId === shown?.foldId;
  if (isSame && open?.isCached === shown?.isCached && isSameFolds(open?.folds ?? NO_FOLDS, folds)) return;
  if (open !== undefined && open.first < request) row.closed.push({ ...open, last: request - 1 });
  row.open = shown && { ...shown, folds, first: request, last: Number.MAX_SAFE_INTEGER };
  if (shown !== undefined && isReplaced(shown.state)) row.wasHidden = true;
}

function isSameFolds(one: readonly BlockFold[], other: readonly BlockFold[]): boolean {
  if (one === other) return true;
  const isSame = (fold: BlockFold, at: number) =>
    fold.blockIndex === other[at]?.blockIndex && fold.foldId === other[at]?.foldId;
  return one.length === other.length && one.every(isSame);
}

function isReplaced(state: StrataState): boolean {
  return state === "hidden" || state === "stand-in";
}

/** The runs of a row within a range of requests: `from`, up to but not including `to`. */
export function runsWithin(row: StrataRow, from: number, to: number): readonly StrataRun[] {
  return partOf(runsOf(row), from, to);
}

/** The runs of one block of the row's message: a fold may hide one block, and leave the others. */
export function blockRunsWithin(row: StrataRow, block: number, { from, to }: { from: number; to: number }) {
  let wasHidden = false;
  const runs = runsOf(row).map((run): ShownRun => {
    const shown = blockShownAs(run, run.folds, block);
    if (isReplaced(shown.state)) {
      wasHidden = true;
      return { ...run, ...shown };
    }
    return { ...run, state: wasHidden ? "restored" : run.isCached ? "cached" : "sent", foldId: undefined };
  });
  return partOf(runs, from, to);
}

function runsOf({ closed, open }: StrataRow): readonly ShownRun[] {
  return open === undefined ? closed : [...closed, open];
}

/** The part of the runs within a range. Adjacent runs with the same state and fold are joined. */
function partOf(runs: readonly ShownRun[], from: number, to: number): readonly StrataRun[] {
  const part: StrataRun[] = [];
  for (const { first, last, state, foldId } of runs) {
    if (last < from || first >= to) continue;
    const [start, end] = [Math.max(first, from), Math.min(last, to - 1)];
    const before = part.at(-1);
    const isSameRun = before !== undefined && before[1] === start - 1 && before[2] === state && before[3] === foldId;
    const begin = isSameRun ? before[0] : start;
    if (isSameRun) part.pop();
    part.push(foldId === undefined ? [begin, end, state] : [begin, end, state, foldId]);
  }
  return part;
}
