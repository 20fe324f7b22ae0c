import { changeFields, type LogPatch } from "../history/log-patch.ts";
import type { Message } from "../message/message.ts";
import { newRow, type StrataRow } from "./strata-row.ts";

/** What led to a version of a log. */
export type PathStep =
  | { readonly type: "message"; readonly version: number }
  | { readonly type: "patch"; readonly version: number; readonly patch: LogPatch };

/** A row for each message that ever was in a log, and which of them the log has now. */
export interface StrataLog {
  /** In the order in which they came. */
  readonly rows: readonly StrataRow[];
  /** In the order of the log. */
  now(): readonly StrataRow[];
  append(message: Message, version: number): StrataRow;
  patch(patch: LogPatch, version: number): void;
  /** The log is what these steps led to. */
  rewind(path: readonly PathStep[]): void;
}

export function createStrataLog(): StrataLog {
  const rows: StrataRow[] = [];
  /** The rows that each record brought. */
  const broughtBy = new Map<number, readonly StrataRow[]>();
  let log: StrataRow[] = [];

  function bring(messages: readonly Message[], version: number): readonly StrataRow[] {
    const brought = messages.map((message) => newRow(message, version));
    rows.push(...brought);
    broughtBy.set(version, brought);
    return brought;
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
      broughtBy.set(version, [row]);
      log.push(row);
      return row;
    },
    patch: (patch, version) => {
      const messages = patch.inserted.map(({ message }) => message);
      replaceLog(patchRows(log, patch, bring(messages, version)));
    },
    rewind: (path) => replaceLog(rowsOf(path, broughtBy)),
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
