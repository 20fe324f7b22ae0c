import { PalimpsestError } from "../../../core/errors.ts";
import {
  type ChangedMessage,
  changeFields,
  type LogDifference,
  type LogPatch,
  patchLog,
} from "../../../core/history/log-patch.ts";
import type { Message } from "../../../core/message/message.ts";
import { adoptMessage } from "../../extensions/own-messages.ts";
import { isRewrite, type LogRecord } from "./log-record.ts";

/** Where a history begins that lacks its oldest records. */
export interface HistoryStart {
  /** How many records it lacks. */
  readonly version: number;
  readonly rewriteVersion: number;
}

const FROM_THE_FIRST: HistoryStart = { version: 0, rewriteVersion: 0 };

/** The records of a session, and its log at any version. */
export interface LogHistory {
  /** The number of records. */
  version(): number;
  /** The version of the newest record that rewrites; 0 where there is none. */
  rewriteVersion(): number;
  add(records: readonly LogRecord[]): void;
  /** Adds the records that the history lacks, in front of those that it has. */
  fill(records: readonly LogRecord[]): void;
  /** Whether no record is missing. `logAt` and `pathTo` throw where one is. */
  isWhole(): boolean;
  /** The log as it was at a version, in an array of its own. */
  logAt(version: number): Message[];
  /** Applies a patch as `applyPatch` does. The same patch always makes the same object of a message. Undefined where it was made for another log. */
  patched(log: readonly Message[], patch: LogPatch): Message[] | undefined;
  /**
   * Announces the patch of a fold that is about to be written, with the messages that it makes: they are used when the patch is read back, and not
   * made again. `undefined` takes it back.
   */
  foresee(fold: ForeseenFold | undefined): void;
  /** The records that led to a version, oldest first, without those that were rewound. */
  pathTo(version: number): readonly PlacedRecord[];
  record(version: number): LogRecord | undefined;
}

export interface PlacedRecord {
  readonly version: number;
  readonly record: Exclude<LogRecord, { readonly type: "rewind" }>;
}

/** A fold that is about to be written: its patch, the messages that it makes, and the log that it was made for. */
export interface ForeseenFold extends LogDifference {
  readonly before: readonly Message[];
}

/** @default start no record is missing */
export function createLogHistory(sessionId: string, start = FROM_THE_FIRST): LogHistory {
  let records: LogRecord[] = [];
  /** The versions of the rewinds, in order; complete once no record is missing. */
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
    foresee: patched.foresee,
    pathTo,
    record: (version) => records[version - before - 1],
  };
}

/**
 * The log after one more record, which the history must have already. May add to `log` itself and return it: pass an array of your own.
 * Throws "store-damaged" where the records make no log.
 */
export function logAfter(log: Message[], record: LogRecord, history: LogHistory): Message[] {
  switch (record.type) {
    case "message":
      log.push(record.message);
      return log;
    case "rewind":
      return history.logAt(record.toVersion);
    case "patch":
      return history.patched(log, record.patch) ?? history.logAt(history.version());
    case "event":
      return log;
  }
}

/** Records in a row that led to a moment: those behind `after`, up to `last`. */
interface Stretch {
  readonly after: number;
  readonly last: number;
}

/** The records that led to a version, oldest first. Between two stretches lie records that were rewound. */
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
  readonly foresee: LogHistory["foresee"];
  readonly copy: LogHistory["patched"];
  /** Patches the array itself; false where the patch was made for another log. */
  inPlace(log: Message[], patch: LogPatch): boolean;
}

/** One message of which it is foreseen what a patch makes of it. */
interface ForeseenChange {
  readonly change: ChangedMessage;
  readonly from: Message | undefined;
  readonly to: Message | undefined;
}

/** Whether a change, which was written and read again, makes of a message the one that was foreseen, to the order of its fields. */
function isForeseen(from: Message, change: ChangedMessage, foreseen: ForeseenChange): boolean {
  const { set, unset, index } = foreseen.change;
  const isSame = foreseen.from === from && index === change.index && unset.join() === change.unset.join();
  if (!isSame || foreseen.to === undefined) return false;
  const names = Object.keys(change.set);
  if (names.length !== Object.keys(set).length || names.some((name) => change.set[name] !== set[name])) return false;
  const expected = Object.keys(from).filter((name) => !unset.includes(name));
  for (const name of names) if (!expected.includes(name)) expected.push(name);
  const found = Object.keys(foreseen.to);
  return found.length === expected.length && found.every((name, at) => name === expected[at]);
}

function createPatched(): Patched {
  /** A cache of changed messages: without it, each rewind of a long session would copy thousands of them again. */
  const changed = new WeakMap<ChangedMessage, { readonly from: Message; readonly to: Message }>();

  let foreseen: ForeseenFold | undefined;

  function changeOnce(from: Message, change: ChangedMessage, expected: ForeseenChange | undefined): Message {
    const cached = changed.get(change);
    if (cached?.from === from) return cached.to;
    const to =
      expected?.to !== undefined && isForeseen(from, change, expected)
        ? expected.to
        : adoptMessage(changeFields(from, change));
    changed.set(change, { from, to });
    return to;
  }

  /** What the changes of a patch are expected to make, one after the other. */
  function expectedOf({ changed: changes }: LogPatch): () => ForeseenChange | undefined {
    const { patch, changedTo, before } = foreseen ?? {};
    foreseen = undefined;
    if (patch?.changed.length !== changes.length) return () => undefined;
    let next = 0;
    return () => {
      const change = patch.changed[next];
      const to = changedTo?.[next++];
      return change && { change, from: before?.[change.index], to };
    };
  }

  function inPlace(log: Message[], patch: LogPatch): boolean {
    const expected = expectedOf(patch);
    try {
      return patchLog(log, patch, (from, change) => changeOnce(from, change, expected()));
    } catch (error) {
      // The patch makes a message invalid.
      if (error instanceof PalimpsestError && error.code === "invalid-message") return false;
      throw error;
    }
  }

  return {
    foresee: (fold) => {
      foreseen = fold;
    },
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
