import { collectStandIns, isHidden, markerId, renderMessage, summaryId } from "../message/effective-view.ts";
import type { CountTokens, Message } from "../message/message.ts";
import type { RequestRecord } from "../statement/request-record.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";
import { type StrataRow, showRow } from "./strata-row.ts";
import { type ShownAs, shownAs } from "./strata-state.ts";

interface ShownLog {
  readonly rows: readonly StrataRow[];
  readonly log: readonly StrataRow[];
  readonly index: number;
  readonly countTokens: CountTokens | undefined;
}

/** Sets how every message is shown by the request `index`, after a fold, a restore or a rewind. Returns the new view. */
export function showAll({ rows, log, index, countTokens }: ShownLog): StrataView {
  for (const row of rows) if (!row.isInLog) showRow(row, index, undefined);
  const standIns = collectStandIns(log.map(({ message }) => message));
  const view = createStrataView(countTokens);
  for (const row of log) {
    if (isHidden(row.message, standIns)) showRow(row, index, { ...shownAs(row.message, standIns), isCached: false });
    else view.add(row);
  }
  return view;
}

/** The messages of a view in order, with their cumulative tokens, in which a binary search finds how far the provider's cache reached. */
export interface StrataView {
  add(row: StrataRow): void;
  /** Sets how the messages are shown by the request with this index. Touches only messages that the request before showed differently. */
  show(request: RequestRecord, index: number): void;
  /** The folds whose stand-ins it has; the same array while they are the same. */
  foldIds(): readonly string[];
}

const NO_STAND_INS = collectStandIns([]);

export function createStrataView(countTokens: CountTokens | undefined): StrataView {
  const view: StrataRow[] = [];
  /** Our tokens up to and including each message. */
  const ends: number[] = [];
  let cachedBefore = 0;
  let shownBefore = 0;
  const folds = new Set<string>();
  let foldIds: readonly string[] = [];
  return {
    foldIds: () => {
      if (foldIds.length !== folds.size) foldIds = [...folds];
      return foldIds;
    },
    add: (row) => {
      for (const foldId of foldsIn(row.message)) folds.add(foldId);
      view.push(row);
      ends.push((ends.at(-1) ?? 0) + countMessageTokens(renderMessage(row.message), countTokens));
    },
    show: (request, index) => {
      // Messages may have been appended before the record of the request was written.
      let shown = view.length;
      while (shown > 0 && (view[shown - 1]?.version ?? 0) > request.version) shown--;
      const cached = Math.min(shown, cachedMessages(request, ends));
      const showRange = (from: number, to: number) => {
        for (let at = from; at < to; at++) {
          const row = view[at];
          if (row !== undefined) showRow(row, index, at < shown ? stateOf(row, at < cached) : undefined);
        }
      };
      // All other messages are shown as by the request before.
      showRange(Math.min(cachedBefore, cached), Math.max(cachedBefore, cached));
      showRange(Math.min(shownBefore, shown), Math.max(shownBefore, shown));
      [cachedBefore, shownBefore] = [cached, shown];
    },
  };
}

function foldsIn(message: Message): readonly string[] {
  const ownId = summaryId(message) ?? markerId(message);
  return [...(ownId === undefined ? [] : [ownId]), ...(message.folds ?? []).map(({ foldId }) => foldId)];
}

function stateOf(row: StrataRow, isCached: boolean): ShownAs & { readonly isCached: boolean } {
  const shown = shownAs(row.message, NO_STAND_INS);
  if (shown.state !== "sent") return { ...shown, isCached };
  return { state: row.wasHidden ? "restored" : isCached ? "cached" : "sent", foldId: undefined, isCached };
}

/** How many messages of a view the provider read from its cache, by the tokens that it reported. */
function cachedMessages({ usage, overheadTokens, tokenRatio }: RequestRecord, ends: readonly number[]): number {
  const tokens = ((usage?.cacheReadTokens ?? 0) - overheadTokens) / (tokenRatio > 0 ? tokenRatio : 1);
  // Our count is slightly off: a message of which all but a fiftieth is cached counts as cached.
  const reached = tokens * 1.02;
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= reached) low = middle + 1;
    else high = middle;
  }
  return low;
}
