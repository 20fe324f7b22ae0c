import { changeFields, type LogPatch } from "../history/log-patch.ts";
import { collectStandIns, isHidden, isStandIn, renderMessage } from "../message/effective-view.ts";
import type { CountTokens, Message } from "../message/message.ts";
import type { RequestRecord } from "../statement/request-record.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";
import { newRow, type StrataRow, showRow } from "./strata-row.ts";
import { type ShownAs, shownAs } from "./strata-state.ts";

/** One thing that was done to a session, as far as it shows in what was sent. */
export type StrataStep =
  | { readonly type: "message"; readonly message: Message }
  | { readonly type: "patch"; readonly patch: LogPatch }
  /** The log is what it was at a version: the steps that led there. */
  | { readonly type: "rewind"; readonly path: readonly PathStep[] }
  | { readonly type: "request"; readonly request: RequestRecord }
  | { readonly type: "other" };

export type PathStep =
  | { readonly type: "message"; readonly version: number }
  | { readonly type: "patch"; readonly version: number; readonly patch: LogPatch };

/** What each request of a session showed of each message. Grows with the session: only what is new is looked at. */
export interface Strata {
  /** Takes the next record, which has this version. */
  take(step: StrataStep, version: number): void;
  /** A row for each message that ever was in the log, stand-ins among them, in the order in which they came. */
  readonly rows: readonly StrataRow[];
  readonly requests: readonly RequestRecord[];
}

export function createStrata(countTokens?: CountTokens): Strata {
  const rows: StrataRow[] = [];
  const requests: RequestRecord[] = [];
  /** The rows that each record brought. */
  const broughtBy = new Map<number, readonly StrataRow[]>();
  let log: StrataRow[] = [];
  let view = createViewTokens(countTokens);
  let isRewritten = false;

  function add(message: Message, version: number): StrataRow {
    const row = newRow(message, version);
    rows.push(row);
    return row;
  }

  function replaceLog(next: StrataRow[]): void {
    for (const row of log) row.isInLog = false;
    for (const row of next) row.isInLog = true;
    log = next;
    isRewritten = true;
  }

  function takePatch(patch: LogPatch, version: number): StrataRow[] {
    const brought = patch.inserted.map(({ message }) => add(message, version));
    broughtBy.set(version, brought);
    return patchRows(log, patch, brought);
  }

  return {
    rows,
    requests,
    take: (step, version) => {
      switch (step.type) {
        case "message": {
          const row = add(step.message, version);
          broughtBy.set(version, [row]);
          log.push(row);
          if (isStandIn(step.message)) isRewritten = true;
          else view.add(row);
          return;
        }
        case "patch":
          return replaceLog(takePatch(step.patch, version));
        case "rewind":
          return replaceLog(rowsOf(step.path, broughtBy));
        case "request": {
          const index = requests.push(step.request) - 1;
          if (isRewritten) view = showAll({ rows, log, index, countTokens });
          isRewritten = false;
          view.show(step.request, index);
          return;
        }
        case "other":
          return;
      }
    },
  };
}

function patchRows(log: readonly StrataRow[], { removed, changed, inserted }: LogPatch, brought: readonly StrataRow[]) {
  for (const change of changed) {
    const row = log[change.index];
    if (row !== undefined) row.message = changeFields(row.message, change);
  }
  const gone = new Set(removed);
  const next = removed.length === 0 ? log.slice() : log.filter((_, index) => !gone.has(index));
  inserted.forEach(({ index }, at) => {
    const row = brought[at];
    if (row !== undefined) next.splice(index, 0, row);
  });
  return next;
}

/** The rows of a log that some records led to. */
function rowsOf(path: readonly PathStep[], broughtBy: ReadonlyMap<number, readonly StrataRow[]>): StrataRow[] {
  let log: StrataRow[] = [];
  for (const step of path) {
    const brought = broughtBy.get(step.version) ?? [];
    for (const row of brought) row.message = row.first;
    if (step.type === "message") log.push(...brought);
    else log = patchRows(log, step.patch, brought);
  }
  return log;
}

interface ShownLog {
  readonly rows: readonly StrataRow[];
  readonly log: readonly StrataRow[];
  readonly index: number;
  readonly countTokens: CountTokens | undefined;
}

/** After a fold, a restore or a rewind, every message is looked at. */
function showAll({ rows, log, index, countTokens }: ShownLog): ViewTokens {
  for (const row of rows) if (!row.isInLog) showRow(row, index, undefined);
  const standIns = collectStandIns(log.map(({ message }) => message));
  const view = createViewTokens(countTokens);
  for (const row of log) {
    if (isHidden(row.message, standIns)) showRow(row, index, shownAs(row.message, standIns));
    else view.add(row);
  }
  return view;
}

/** The messages of a view in order, with what they take: how far the provider's cache reached is found without looking at each. */
interface ViewTokens {
  add(row: StrataRow): void;
  show(request: RequestRecord, index: number): void;
}

const NO_STAND_INS = collectStandIns([]);

function createViewTokens(countTokens: CountTokens | undefined): ViewTokens {
  const view: StrataRow[] = [];
  /** Our tokens up to and with each message. */
  const ends: number[] = [];
  let cachedBefore = 0;
  let shownBefore = 0;
  return {
    add: (row) => {
      view.push(row);
      ends.push((ends.at(-1) ?? 0) + countMessageTokens(renderMessage(row.message), countTokens));
    },
    show: (request, index) => {
      // Others may have said more before the record of the request was written.
      let shown = view.length;
      while (shown > 0 && (view[shown - 1]?.version ?? 0) > request.version) shown--;
      const cached = Math.min(shown, cachedMessages(request, ends));
      const showRange = (from: number, to: number) => {
        for (let at = from; at < to; at++) {
          const row = view[at];
          if (row !== undefined) showRow(row, index, at < shown ? stateOf(row, at < cached) : undefined);
        }
      };
      // All others are shown as they were for the request before.
      showRange(Math.min(cachedBefore, cached), Math.max(cachedBefore, cached));
      showRange(Math.min(shownBefore, shown), Math.max(shownBefore, shown));
      [cachedBefore, shownBefore] = [cached, shown];
    },
  };
}

function stateOf(row: StrataRow, isCached: boolean): ShownAs {
  const shown = shownAs(row.message, NO_STAND_INS);
  if (shown.state !== "sent") return shown;
  return { state: row.wasHidden ? "restored" : isCached ? "cached" : "sent", foldId: undefined };
}

/** How many messages of a view the provider read from its cache, by the tokens that it reported. */
function cachedMessages({ usage, overheadTokens, tokenRatio }: RequestRecord, ends: readonly number[]): number {
  const tokens = ((usage?.cacheReadTokens ?? 0) - overheadTokens) / (tokenRatio > 0 ? tokenRatio : 1);
  // Our count is off by a little: a message that is cached but for a fiftieth is.
  const reached = tokens * 1.02;
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= reached) low = middle + 1;
    else high = middle;
  }
  return low;
}
