import type { BlockFold, Message } from "../message/message.ts";
import { blockShownAs, type ShownAs, type StrataRun, type StrataState } from "./strata-state.ts";

/** How requests in a row showed a message, with what tells how they showed its blocks. */
interface ShownRun extends ShownAs {
  readonly first: number;
  readonly last: number;
  readonly isCached: boolean;
  /** The block folds that the message had then. */
  readonly folds: readonly BlockFold[];
}

/** One message over all requests. */
export interface StrataRow {
  /** As it is in the newest log that has it, and as it came. */
  message: Message;
  readonly first: Message;
  /** The record that brought it. */
  readonly version: number;
  /** Whether the log has it now: a rewind may have taken it out. */
  isInLog: boolean;
  /** Whether a request hid it, or part of it. */
  wasHidden: boolean;
  readonly closed: ShownRun[];
  open: ShownRun | undefined;
}

export function newRow(message: Message, version: number): StrataRow {
  return { message, first: message, version, isInLog: true, wasHidden: false, closed: [], open: undefined };
}

const NO_FOLDS: readonly BlockFold[] = [];

/** From this request on the message is shown like this; undefined where it is no part of what is sent. */
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

/** The runs of a row within some requests: `from`, up to but not including `to`. */
export function runsWithin(row: StrataRow, from: number, to: number): readonly StrataRun[] {
  return partOf(runsOf(row), from, to);
}

/** The same of one block of its message: a fold may hide one of them, and leave those beside it. */
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

/** Runs that touch and are shown alike are one. */
function partOf(runs: readonly ShownRun[], from: number, to: number): readonly StrataRun[] {
  const part: StrataRun[] = [];
  for (const { first, last, state, foldId } of runs) {
    if (last < from || first >= to) continue;
    const [start, end] = [Math.max(first, from), Math.min(last, to - 1)];
    const before = part.at(-1);
    const goesOn = before !== undefined && before[1] === start - 1 && before[2] === state && before[3] === foldId;
    const begin = goesOn ? before[0] : start;
    if (goesOn) part.pop();
    part.push(foldId === undefined ? [begin, end, state] : [begin, end, state, foldId]);
  }
  return part;
}
