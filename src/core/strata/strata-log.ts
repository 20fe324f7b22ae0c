import { changeFields, type LogPatch } from "../history/log-patch.ts";
import type { Message } from "../message/message.ts";
import { newRow, type StrataRow } from "./strata-row.ts";

/** One of the records that led to a version of a log. */
export type PathStep =
  | { readonly type: "message"; readonly version: number }
  | { readonly type: "patch"; readonly version: number; readonly patch: LogPatch };

/** Rows for all messages that were ever in a log, and the current log as rows. */
export interface StrataLog {
  /** In the order in which their messages were added. */
  readonly rows: readonly StrataRow[];
  /** The rows of the current log, in its order. */
  now(): readonly StrataRow[];
  append(message: Message, version: number): StrataRow;
  patch(patch: LogPatch, version: number): void;
  /** Sets the log to the one that these steps led to. */
  rewind(path: readonly PathStep[]): void;
}

export function createStrataLog(): StrataLog {
  const rows: StrataRow[] = [];
  /** The rows that each record added, by its version. */
  const rowsByVersion = new Map<number, readonly StrataRow[]>();
  let log: StrataRow[] = [];

  function addRows(messages: readonly Message[], version: number): readonly StrataRow[] {
    const added = messages.map((message) => newRow(message, version));
    rows.push(...added);
    rowsByVersion.set(version, added);
    return added;
  }

  function replaceLog(next: StrataRow[]): void {
    for (const row of log) row.isInLog = false;
    for (const row of next) row.isInLog = true;
    log = next;
  }

  return {
    rows,
    now: () => log,
    append: (message, version) => {
      const row = newRow(message, version);
      rows.push(row);
      rowsByVersion.set(version, [row]);
      log.push(row);
      return row;
    },
    patch: (patch, version) => {
      const messages = patch.inserted.map(({ message }) => message);
      replaceLog(patchRows(log, patch, addRows(messages, version)));
    },
    rewind: (path) => replaceLog(rowsOf(path, rowsByVersion)),
  };
}

function patchRows(log: readonly StrataRow[], { removed, changed, inserted }: LogPatch, added: readonly StrataRow[]) {
  for (const change of changed) {
    const row = log[change.index];
    if (row !== undefined) row.message = changeFields(row.message, change);
  }
  const removedIndexes = new Set(removed);
  const next = removed.length === 0 ? log.slice() : log.filter((_, index) => !removedIndexes.has(index));
  inserted.forEach(({ index }, at) => {
    const row = added[at];
    if (row !== undefined) next.splice(index, 0, row);
  });
  return next;
}

/** The rows of the log that these records led to. */
function rowsOf(path: readonly PathStep[], rowsByVersion: ReadonlyMap<number, readonly StrataRow[]>): StrataRow[] {
  let log: StrataRow[] = [];
  for (const step of path) {
    const added = rowsByVersion.get(step.version) ?? [];
    for (const row of added) row.message = row.first;
    if (step.type === "message") log.push(...added);
    else log = patchRows(log, step.patch, added);
  }
  return log;
}
