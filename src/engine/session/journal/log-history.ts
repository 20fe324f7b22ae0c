import { PalimpsestError } from "../../../core/errors.ts";
import { type ChangedMessage, changeFields, type LogPatch, patchLog } from "../../../core/history/log-patch.ts";
import type { Message } from "../../../core/message/message.ts";
import { ownMessages } from "../../extensions/own-messages.ts";
import { isRewrite, type LogRecord } from "./log-record.ts";

/** The place at which the records that are here begin: after so many others. */
export interface HistoryStart {
  readonly version: number;
  readonly rewriteVersion: number;
}

const FROM_THE_FIRST: HistoryStart = { version: 0, rewriteVersion: 0 };

/** All that was ever done to a session, and what its log was at any moment. */
export interface LogHistory {
  /** The number of records. */
  version(): number;
  /** The version of the newest record that rewrites; 0 where there is none. */
  rewriteVersion(): number;
  add(records: readonly LogRecord[]): void;
  /** Takes in the records before those that are here. */
  fill(records: readonly LogRecord[]): void;
  /** Whether all records are here. What follows needs all of them. */
  isWhole(): boolean;
  /** The log as it was at a version, in an array of its own. */
  logAt(version: number): Message[];
  /** Does what `applyPatch` does, but a message that a patch of this history changes is the same object each time. */
  patched(log: readonly Message[], patch: LogPatch): Message[] | undefined;
  /** The records that led to a version, oldest first: without what was rewound. */
  pathTo(version: number): readonly PlacedRecord[];
  record(version: number): LogRecord | undefined;
}

export interface PlacedRecord {
  readonly version: number;
  readonly record: Exclude<LogRecord, { readonly type: "rewind" }>;
}

/** @default start all records are here */
export function createLogHistory(sessionId: string, start = FROM_THE_FIRST): LogHistory {
  let records: LogRecord[] = [];
  /** The versions of those that rewind, once all records are here; in order. */
  let rewinds: number[] = [];
  const patched = createPatched();
  let { rewriteVersion, version: before } = start;

  function stretchesTo(version: number): readonly Stretch[] {
    if (before > 0) throw new Error(`The ${before} oldest records of the session ${sessionId} were not read yet.`);
    return stretchesIn(records, rewinds, Math.max(0, Math.min(version, records.length)));
  }

  function pathTo(version: number): readonly PlacedRecord[] {
    return stretchesTo(version).flatMap(({ after, last }) =>
      records.slice(after, last).flatMap((record, index): readonly PlacedRecord[] => {
        return record.type === "rewind" ? [] : [{ version: after + index + 1, record }];
      }),
    );
  }

  function logAt(version: number): Message[] {
    const log: Message[] = [];
    for (const { after, last } of stretchesTo(version)) {
      for (let index = after; index < last; index++) {
        const record = records[index];
        if (record?.type === "message") log.push(record.message);
        if (record?.type === "patch" && !patched.inPlace(log, record.patch)) throw damaged(sessionId, index + 1);
      }
    }
    return log;
  }

  return {
    add: (added) => {
      for (const record of added) {
        records.push(record);
        if (record.type === "rewind") rewinds.push(records.length);
        if (isRewrite(record)) rewriteVersion = before + records.length;
      }
    },
    fill: (older) => {
      records = [...older, ...records];
      rewinds = records.flatMap(({ type }, index) => (type === "rewind" ? [index + 1] : []));
      before = 0;
    },
    isWhole: () => before === 0,
    version: () => before + records.length,
    rewriteVersion: () => rewriteVersion,
    logAt,
    patched: patched.copy,
    pathTo,
    record: (version) => records[version - before - 1],
  };
}

/** Records in a row that led to a moment: those behind `after`, up to `last`. */
interface Stretch {
  readonly after: number;
  readonly last: number;
}

/** What led to a version, oldest first; between two stretches lies what was rewound. */
function stretchesIn(records: readonly LogRecord[], rewinds: readonly number[], version: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let last = version;
  for (const rewind of rewinds.toReversed()) {
    if (rewind > last) continue;
    stretches.push({ after: rewind, last });
    const record = records[rewind - 1];
    // A rewind leads to something older than itself.
    last = record?.type === "rewind" ? Math.min(record.toVersion, rewind - 1) : rewind - 1;
  }
  stretches.push({ after: 0, last });
  return stretches.reverse();
}

interface Patched {
  readonly copy: LogHistory["patched"];
  /** In the array itself; false where the patch was made for another log. */
  inPlace(log: Message[], patch: LogPatch): boolean;
}

function createPatched(): Patched {
  /** What became of messages: a long session has thousands of them, and whoever rewinds wants them back at once. */
  const changed = new WeakMap<ChangedMessage, { readonly from: Message; readonly to: Message }>();

  function changeOnce(from: Message, change: ChangedMessage): Message {
    const known = changed.get(change);
    if (known?.from === from) return known.to;
    const copy = changeFields(from, change);
    const [to = copy] = ownMessages([copy]);
    changed.set(change, { from, to });
    return to;
  }

  function inPlace(log: Message[], patch: LogPatch): boolean {
    try {
      return patchLog(log, patch, changeOnce);
    } catch (error) {
      // It makes something of a message that is none.
      if (error instanceof PalimpsestError && error.code === "invalid-message") return false;
      throw error;
    }
  }

  return {
    inPlace,
    copy: (log, patch) => {
      const copy = [...log];
      return inPlace(copy, patch) ? copy : undefined;
    },
  };
}

function damaged(sessionId: string, version: number): PalimpsestError {
  return new PalimpsestError(
    "store-damaged",
    `Record ${version} of the session ${JSON.stringify(sessionId)} changes messages that are not there. Restore the database from a backup.`,
  );
}
