import { assert, assertArray, assertObject } from "../../core/assert.ts";
import { checkMessages } from "../../core/message/check-messages.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { createLogHistory, type LogHistory } from "./journal/log-history.ts";
import { type LogRecord, parseRecord, writeRecord } from "./journal/log-record.ts";

/** A whole session as plain data: its messages, folds, events, and what was rewound. */
export interface SessionExport {
  readonly format: "palimpsest-session";
  readonly formatVersion: 1;
  readonly id: string;
  /** The session's records, in order; JSON can hold all of them. */
  readonly records: readonly unknown[];
}

/** Exports a session. The records are copies: changing them does not change the session. */
export function exportSession(id: string, history: LogHistory): SessionExport {
  const records: LogRecord[] = [];
  for (let version = 1; version <= history.version(); version++) {
    const record = history.record(version);
    const copy = record && parseRecord(writeRecord(record).body);
    if (copy !== undefined) records.push(copy);
  }
  return { format: "palimpsest-session", formatVersion: 1, id, records };
}

/** Reads the records of an export. Throws "invalid-argument" where it is no export, or where a record cannot follow those before it. */
export function readExport(exported: SessionExport): readonly LogRecord[] {
  assertObject("exported", exported);
  const { format, formatVersion, id, records } = exported;
  assert(format === "palimpsest-session", "exported.format", format, '"palimpsest-session"');
  assert(formatVersion === 1, "exported.formatVersion", formatVersion, "1: a newer version of the package wrote it");
  assert(typeof id === "string" && id !== "", "exported.id", id, "a string that is not empty");
  assertArray("exported.records", records);
  const read = records.map((value, index) => {
    const record = readValue(value);
    assertRecord(record !== undefined, value, index);
    return record;
  });
  assertReplayable(read, id);
  return read;
}

function assertRecord(isRight: boolean, value: unknown, index: number): asserts isRight {
  assert(isRight, `exported.records[${index}]`, value, "a record that session.export() wrote, in its place");
}

function readValue(value: unknown): LogRecord | undefined {
  try {
    return parseRecord(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/** Replays all records, also those that were rewound: an undo may lead back to them. */
function assertReplayable(records: readonly LogRecord[], id: string): void {
  const history = createLogHistory(id);
  let log: readonly Message[] = [];
  records.forEach((record, index) => {
    const next = replay(log, record, history);
    assertRecord(next !== undefined, record, index);
    log = next;
    history.add([record]);
  });
}

/** The log after one more record; undefined where the record cannot follow this log. */
function replay(log: readonly Message[], record: LogRecord, history: LogHistory): readonly Message[] | undefined {
  switch (record.type) {
    case "event":
      return log;
    case "message":
      return [...log, record.message];
    case "rewind": {
      const { toVersion } = record;
      const isVersion = Number.isInteger(toVersion) && toVersion >= 0 && toVersion <= history.version();
      return isVersion ? history.logAt(toVersion) : undefined;
    }
    case "patch":
      return patchLog(log, record.patch, history);
  }
}

function patchLog(
  log: readonly Message[],
  patch: Extract<LogRecord, { readonly type: "patch" }>["patch"],
  history: LogHistory,
): readonly Message[] | undefined {
  const comeAndGo = [...patch.removed.map((index) => log[index]), ...patch.inserted.map(({ message }) => message)];
  // A patch adds and removes stand-ins alone: any other message is never removed.
  if (!comeAndGo.every((message) => message !== undefined && isStandIn(message))) return undefined;
  try {
    const patched = history.patched(log, patch);
    checkMessages(patched ?? []);
    return patched;
  } catch {
    return undefined;
  }
}
