import { PalimpsestError } from "../../../core/errors.ts";
import type { LogPatch } from "../../../core/history/log-patch.ts";
import { parseJson } from "../../../core/json/parse-json.ts";
import { isPlainJson } from "../../../core/json/plain-json.ts";
import { isRecord } from "../../../core/json/read-json.ts";
import { checkMessages } from "../../../core/message/check-messages.ts";
import { isStandIn } from "../../../core/message/effective-view.ts";
import type { Message } from "../../../core/message/message.ts";
import type { StoredBlob } from "../../../core/ports/store.ts";
import { isOwned } from "../../extensions/own-messages.ts";
import type { SessionEvent } from "../report.ts";
import type { ChainLink } from "./record-chain.ts";

/** One thing that was done to a session. The records in order are the session: its log and its view follow from them. */
export type LogRecord =
  | { readonly type: "message"; readonly message: Message }
  /** The log was folded, restored or marked. */
  | { readonly type: "patch"; readonly patch: LogPatch }
  /** The log is set back to what it was at version `toVersion`. */
  | {
      readonly type: "rewind";
      readonly toVersion: number;
      /** Whether this takes an earlier rewind back. */
      readonly isUndo: boolean;
      /** If the files were rewound as well: the checkpoint of the files right before. */
      readonly filesBefore?: string;
    }
  | {
      readonly type: "event";
      readonly event: SessionEvent;
      /** Data that the event refers to. The store keeps it beside the record; it is not there when the record is read again. */
      readonly blobs?: readonly StoredBlob[];
    };

/** Whether a record changes messages of earlier records. */
export function isRewrite(record: LogRecord): boolean {
  // A saved log may be appended message by message: a summary in it hides messages before it.
  if (record.type === "message") return isStandIn(record.message);
  return record.type === "patch" || record.type === "rewind";
}

/** A record as a store keeps it. */
export interface WrittenRecord {
  readonly body: string;
  /** The record as it will be read again, without what JSON leaves out. */
  readonly record: LogRecord;
  readonly blobs?: readonly StoredBlob[];
}

/**
 * Serializes a record for a store. Throws "invalid-message" where a message holds a value that JSON cannot hold, or where its JSON is no message.
 * @default link none: the body names no head of the chain
 */
export function writeRecord(given: LogRecord, link?: ChainLink): WrittenRecord {
  const { record, blobs } = withoutBlobs(given);
  const body = stringify(link === undefined ? record : { ...record, chain: link });
  // A message of plain JSON is read again as it is. To parse it here would cost as much as all the rest of an append.
  const isSame = record.type === "message" && isOwned(record.message) && isPlainJson(record.message);
  const written = isSame ? record : parseRecord(body);
  // One record that cannot be read would make the whole session unreadable.
  if (written !== undefined) return { body, record: written, ...(blobs !== undefined && { blobs }) };
  throw cannotStore("its JSON is no longer a message");
}

/** Separates a record from its blobs. */
export function withoutBlobs(record: LogRecord): Pick<WrittenRecord, "record" | "blobs"> {
  if (record.type !== "event" || record.blobs === undefined) return { record };
  const { type, event, blobs } = record;
  return { record: { type, event }, blobs };
}

function stringify(record: object): string {
  try {
    return JSON.stringify(record);
  } catch (error) {
    throw cannotStore(error instanceof Error ? error.message : String(error));
  }
}

function cannotStore(reason: string): PalimpsestError {
  return new PalimpsestError(
    "invalid-message",
    `The message cannot be stored: ${reason}. A store keeps messages as JSON: no circles, no BigInt, and not nested without end.`,
  );
}

/** Reads what {@link writeRecord} wrote. Throws "store-damaged" where the body is something else. */
export function readRecord(body: string, place: { readonly sessionId: string; readonly version: number }): LogRecord {
  const record = parseRecord(body);
  if (record !== undefined && leadsBack(record, place.version)) return record;
  throw new PalimpsestError(
    "store-damaged",
    `Record ${place.version} of the session ${JSON.stringify(place.sessionId)} is none that this version writes. ` +
      "It was changed by hand or by a newer version: restore the database from a backup, or update the package.",
  );
}

/** Whether a rewind leads to an earlier version; true for any other record. */
function leadsBack(record: LogRecord, version: number): boolean {
  if (record.type !== "rewind") return true;
  return Number.isInteger(record.toVersion) && record.toVersion >= 0 && record.toVersion < version;
}

/** Reads a record, without the link of the hash chain: that belongs to the place where the body is kept. Undefined where the body is no record. */
export function parseRecord(body: string): LogRecord | undefined {
  try {
    const record: unknown = parseJson(body);
    if (!isLogRecord(record)) return undefined;
    Reflect.deleteProperty(record, "chain");
    return record;
  } catch {
    return undefined;
  }
}

function isLogRecord(value: unknown): value is LogRecord {
  if (!isRecord(value)) return false;
  switch (value.type) {
    case "message":
      return isMessage(value.message);
    case "patch":
      return isPatch(value.patch);
    case "rewind":
      return typeof value.toVersion === "number" && typeof value.isUndo === "boolean";
    case "event":
      return isRecord(value.event) && typeof value.event.type === "string";
    default:
      return false;
  }
}

function isPatch(value: unknown): value is LogPatch {
  if (!isRecord(value)) return false;
  const { removed, changed, inserted } = value;
  return (
    isList(removed, (index) => typeof index === "number") &&
    isList(changed, (change) => isRecord(change) && isRecord(change.set) && Array.isArray(change.unset)) &&
    isList(inserted, (insertion) => isRecord(insertion) && isMessage(insertion.message))
  );
}

function isMessage(value: unknown): value is Message {
  try {
    checkMessages([value]);
    return true;
  } catch {
    return false;
  }
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
