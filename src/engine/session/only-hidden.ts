import { PalimpsestError } from "../../core/errors.ts";
import {
  applyPatch,
  type ChangedMessage,
  changeFields,
  FOLD_FIELDS,
  type LogPatch,
} from "../../core/history/log-patch.ts";
import { messageName } from "../../core/history/message-name.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { createLogHistory, type LogHistory, logAfter } from "./journal/log-history.ts";
import type { LogRecord } from "./journal/log-record.ts";

/**
 * Checks that patches only hide and show messages, except for updates that an event names, and that the log without its folds is what was appended.
 * Returns the number of messages in that log. Throws "store-damaged".
 */
export function assertOnlyHidden(sessionId: string, records: readonly LogRecord[]): number {
  const history = createLogHistory(sessionId);
  const updated = new Set(records.flatMap(updatedIds));
  // All records, also those that were rewound.
  let log: Message[] = [];
  for (const record of records) {
    if (record.type === "patch")
      assertOnlyHides(log, record.patch, { sessionId, updated, version: history.version() + 1 });
    history.add([record]);
    log = logAfter(log, record, history);
  }
  const restored = restoreAllMessages(log);
  const said = saidMessages(history);
  const differing = said.findIndex((message, index) => saidBytes(message) !== saidBytes(restored[index]));
  if (differing === -1 && said.length === restored.length) return restored.length;
  const place = differing === -1 ? Math.min(said.length, restored.length) : differing;
  throw notAsWritten(sessionId, `without its folds, message ${place + 1} of the log is not what was appended`);
}

function updatedIds(record: LogRecord): readonly string[] {
  return record.type === "event" && record.event.type === "updated" ? record.event.messageIds : [];
}

interface PatchPlace {
  readonly sessionId: string;
  readonly version: number;
  /** The names (see `messageName`) of messages that an event of `update` says were changed. */
  readonly updated: ReadonlySet<string>;
}

function assertOnlyHides(log: readonly Message[], patch: LogPatch, { sessionId, version, updated }: PatchPlace): void {
  const comeAndGo = [...patch.removed.map((index) => log[index]), ...patch.inserted.map(({ message }) => message)];
  if (comeAndGo.some((message) => message !== undefined && !isStandIn(message))) {
    throw notAsWritten(sessionId, `record ${version} adds or removes a message as if it were a fold`);
  }
  for (const change of patch.changed) {
    const message = log[change.index];
    if (message === undefined || isStandIn(message) || changesOnlyFolds(change)) continue;
    if (updated.has(messageName(message, change.index))) continue;
    const name = message.id === undefined ? `message ${change.index + 1}` : `message ${JSON.stringify(message.id)}`;
    throw notAsWritten(sessionId, `record ${version} changes ${name}, and no update says so`);
  }
}

/** The messages of the log as they were appended or updated, made without applying any fold. */
function saidMessages(history: LogHistory): readonly Message[] {
  let log: Message[] = [];
  for (const { record } of history.pathTo(history.version())) {
    if (record.type === "message") log.push(record.message);
    if (record.type === "patch") log = applyPatch(log, record.patch, applyUpdate) ?? log;
  }
  return log.filter((message) => !isStandIn(message));
}

/** Whether a change concerns folds or a pin alone. The event of a pin may be missing, as a branch may begin between the two records. */
function changesOnlyFolds({ set, unset }: ChangedMessage): boolean {
  return [...Object.keys(set), ...unset].every((name) => FOLD_FIELDS.has(name) || name === "important");
}

function applyUpdate(message: Message, { index, set, unset }: ChangedMessage): Message {
  const fields = Object.entries(set).filter(([name]) => !FOLD_FIELDS.has(name));
  return changeFields(message, {
    index,
    set: Object.fromEntries(fields),
    unset: unset.filter((name) => !FOLD_FIELDS.has(name)),
  });
}

/** A message as JSON, without the tags of folds: a log may have been appended with folds in it. */
function saidBytes(message: Message | undefined): string {
  if (message === undefined) return "";
  const { condenseParent: _, truncationParent: _1, folds: _2, ...said } = message;
  return JSON.stringify(said);
}

export function notAsWritten(sessionId: string, what: string): PalimpsestError {
  return new PalimpsestError(
    "store-damaged",
    `The session ${JSON.stringify(sessionId)} is not what was written: ${what}. Restore the database from a backup.`,
  );
}
