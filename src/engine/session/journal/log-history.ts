import { PalimpsestError } from "../../../core/errors.ts";
import { applyPatch, type ChangedMessage, changeFields, type LogPatch } from "../../../core/history/log-patch.ts";
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
  const patched = createPatched();
  let { rewriteVersion, version: before } = start;

  function pathTo(version: number): readonly PlacedRecord[] {
    if (before > 0) throw new Error(`The ${before} oldest records of the session ${sessionId} were not read yet.`);
    return pathIn(records, version);
  }

  function logAt(version: number): Message[] {
    let log: Message[] = [];
    for (const { version: at, record } of pathTo(version)) {
      if (record.type === "message") log.push(record.message);
      if (record.type === "patch") {
        const next = patched(log, record.patch);
        if (next === undefined) throw damaged(sessionId, at);
        log = next;
      }
    }
    return log;
  }

  return {
    add: (added) => {
      for (const record of added) {
        records.push(record);
        if (isRewrite(record)) rewriteVersion = before + records.length;
      }
    },
    fill: (older) => {
      records = [...older, ...records];
      before = 0;
    },
    isWhole: () => before === 0,
    version: () => before + records.length,
    rewriteVersion: () => rewriteVersion,
    logAt,
    patched,
    pathTo,
    record: (version) => records[version - before - 1],
  };
}

function pathIn(records: readonly LogRecord[], version: number): readonly PlacedRecord[] {
  const path: PlacedRecord[] = [];
  let at = version;
  while (at > 0) {
    const record = records[at - 1];
    // A rewind leads to something older than itself, so this comes to an end.
    if (record?.type === "rewind") at = Math.min(record.toVersion, at - 1);
    else {
      if (record !== undefined) path.push({ version: at, record });
      at -= 1;
    }
  }
  return path.reverse();
}

function createPatched(): LogHistory["patched"] {
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

  return (log, patch) => {
    try {
      return applyPatch(log, patch, changeOnce);
    } catch (error) {
      // It makes something of a message that is none.
      if (error instanceof PalimpsestError && error.code === "invalid-message") return undefined;
      throw error;
    }
  };
}

function damaged(sessionId: string, version: number): PalimpsestError {
  return new PalimpsestError(
    "store-damaged",
    `Record ${version} of the session ${JSON.stringify(sessionId)} changes messages that are not there. Restore the database from a backup.`,
  );
}
