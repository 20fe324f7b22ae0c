import type { LogPatch } from "../../core/history/log-patch.ts";
import { markerId, summaryId } from "../../core/message/effective-view.ts";
import type { LogHistory } from "../../engine/session/journal/log-history.ts";
import type { LogRecord } from "../../engine/session/journal/log-record.ts";
import { countOf } from "../terminal/numbers.ts";

/** A range of versions, to each of which a session can be rewound. */
export interface VersionSpan {
  readonly from: number;
  readonly to: number;
  /** What these versions did; version `to` is the state after it. */
  readonly what: string;
  /** Whether a rewind took these versions off the current path. */
  readonly isSetAside: boolean;
}

/** The versions of a session, oldest first. Consecutive messages are one span. */
export function listVersions(history: LogHistory): readonly VersionSpan[] {
  const onPath = new Set(history.pathTo(history.version()).map(({ version }) => version));
  const spans: VersionSpan[] = [];
  for (let version = 1; version <= history.version(); version++) {
    const record = history.record(version);
    const isSetAside = record?.type !== "rewind" && !onPath.has(version);
    const last = spans.at(-1);
    const isMessage = record?.type === "message";
    const isSameStretch = last?.isSetAside === isSetAside && last.to === version - 1;
    if (isMessage && last !== undefined && isSameStretch && isMessageAt(history, last.to)) {
      const { from } = last;
      spans[spans.length - 1] = { ...last, to: version, what: messagesAdded(version - from + 1) };
    } else {
      const what = record === undefined ? undefined : describeRecord(record);
      if (what !== undefined) spans.push({ from: version, to: version, what, isSetAside });
    }
  }
  return spans;
}

function isMessageAt(history: LogHistory, version: number): boolean {
  return history.record(version)?.type === "message";
}

/** What a record did; undefined for an event, which only describes another record. */
function describeRecord(record: LogRecord): string | undefined {
  switch (record.type) {
    case "message":
      return messagesAdded(1);
    case "patch":
      return describePatch(record.patch);
    case "rewind":
      return record.isUndo ? `rewind undone: again as at ${record.toVersion}` : `rewound to ${record.toVersion}`;
    case "event":
      return undefined;
  }
}

function messagesAdded(count: number): string {
  return `${countOf(count, "message")} added`;
}

function describePatch({ inserted, removed, changed }: LogPatch): string {
  const foldIds = inserted.flatMap(({ message }) => summaryId(message) ?? markerId(message) ?? []);
  if (foldIds.length > 0) return `folded: ${foldIds.join(", ")}`;
  if (removed.length > 0) return `${countOf(removed.length, "fold")} restored`;
  const isShown = changed.some(({ unset }) => unset.includes("condenseParent") || unset.includes("truncationParent"));
  if (isShown) return `${countOf(changed.length, "message")} restored`;
  const isOfBlocks = changed.some(({ set, unset }) => "folds" in set || unset.includes("folds"));
  return isOfBlocks
    ? `blocks of ${countOf(changed.length, "message")} folded or restored`
    : `${countOf(changed.length, "message")} changed by hand`;
}
