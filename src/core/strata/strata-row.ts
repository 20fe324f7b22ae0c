import type { Message } from "../message/message.ts";
import type { ShownAs, StrataRun } from "./strata-state.ts";

interface OpenRun extends ShownAs {
  readonly first: number;
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
  readonly closed: StrataRun[];
  open: OpenRun | undefined;
}

export function newRow(message: Message, version: number): StrataRow {
  return { message, first: message, version, isInLog: true, wasHidden: false, closed: [], open: undefined };
}

/** From this request on the message is shown like this; undefined where it is no part of what is sent. */
export function showRow(row: StrataRow, request: number, shown: ShownAs | undefined): void {
  const { open } = row;
  if (open?.state === shown?.state && open?.foldId === shown?.foldId) return;
  if (open !== undefined && open.first < request) row.closed.push(runOf(open, request - 1));
  row.open = shown && { ...shown, first: request };
  if (shown?.state === "hidden" || shown?.state === "stand-in") row.wasHidden = true;
}

function runOf({ first, state, foldId }: OpenRun, last: number): StrataRun {
  return foldId === undefined ? [first, last, state] : [first, last, state, foldId];
}

/** The runs of a row within some requests: `from`, up to but not including `to`. */
export function runsWithin({ closed, open }: StrataRow, from: number, to: number): readonly StrataRun[] {
  const runs = open === undefined ? closed : [...closed, runOf(open, Number.MAX_SAFE_INTEGER)];
  return runs.flatMap(([first, last, state, foldId]): readonly StrataRun[] => {
    if (last < from || first >= to) return [];
    const [start, end] = [Math.max(first, from), Math.min(last, to - 1)];
    return [foldId === undefined ? [start, end, state] : [start, end, state, foldId]];
  });
}
