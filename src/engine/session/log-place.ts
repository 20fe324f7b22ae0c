import { isFoldPatch } from "../../core/history/log-patch.ts";
import { isRewrite, type LogRecord } from "./journal/log-record.ts";

/** Where the last rewrite and the last fold of a log lie. */
export interface LogPlace {
  /** How many messages were appended since the last rewrite, or since the first record. */
  readonly appendedMessages: number;
  /** The newest fold, or restore of one. Undefined where there is none, or the log was rewound since. */
  readonly lastFold: FoldPlace | undefined;
}

/** A record that folded, and how many messages were appended since. */
export interface FoldPlace {
  readonly version: number;
  readonly appendedMessages: number;
}

/** The place after more records, the first of which has the version after `version`. */
export function placeAfter(place: LogPlace, records: readonly LogRecord[], version: number): LogPlace {
  return {
    appendedMessages: appendedAfter(place.appendedMessages, records),
    lastFold: lastFoldAfter(place.lastFold, records, version),
  };
}

function appendedAfter(before: number, records: readonly LogRecord[]): number {
  const rewrite = records.findLastIndex(isRewrite);
  const added = records.slice(rewrite + 1).filter(({ type }) => type === "message").length;
  return rewrite < 0 ? before + added : added;
}

function lastFoldAfter(
  before: FoldPlace | undefined,
  records: readonly LogRecord[],
  version: number,
): FoldPlace | undefined {
  let last = before;
  for (const [index, record] of records.entries()) {
    if (record.type === "rewind") last = undefined;
    else if (isFold(record)) last = { version: version + index + 1, appendedMessages: 0 };
    else if (record.type === "message" && last !== undefined) {
      last = { version: last.version, appendedMessages: last.appendedMessages + 1 };
    }
  }
  return last;
}

function isFold(record: LogRecord): boolean {
  return record.type === "patch" ? isFoldPatch(record.patch) : isRewrite(record);
}
