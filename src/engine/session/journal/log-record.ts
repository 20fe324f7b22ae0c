import { PalimpsestError } from "../../../core/errors.ts";
import type { LogPatch } from "../../../core/history/log-patch.ts";
import { parseJson } from "../../../core/json/parse-json.ts";
import { isPlainJson } from "../../../core/json/plain-json.ts";
import { checkMessages } from "../../../core/message/check-messages.ts";
import { isStandIn } from "../../../core/message/effective-view.ts";
import type { Message } from "../../../core/message/message.ts";
import type { StoredBlob } from "../../../core/ports/store.ts";
import { isOwned } from "../../extensions/own-messages.ts";
import type { SessionEvent } from "../report.ts";
import type { ChainLink } from "./record-chain.ts";

/** One thing that was done to a session. All of them, in order, are the session; its log and its view follow from them. */
export type LogRecord =
  | { readonly type: "message"; readonly message: Message }
  /** The log was folded, restored or marked. */
  | { readonly type: "patch"; readonly patch: LogPatch }
  /** The log is again what it was when it had so many records. */
  | {
      readonly type: "rewind";
      readonly toVersion: number;
      /** Whether it took an earlier rewind back. */
      readonly isUndo: boolean;
      /** The checkpoint of the files as they were right before, where they were rewound as well. */
      readonly filesBefore?: string;
    }
  | {
      readonly type: "event";
      readonly event: SessionEvent;
      /** What the event names, on its way to the store: kept beside the record, and not read with it again. */
      readonly blobs?: readonly StoredBlob[];
    };

/** Whether a record changes what earlier ones say; two of these never overlap. */
export function isRewrite(record: LogRecord): boolean {
  // A saved log may come message by message: a summary in it hides what came before.
  if (record.type === "message") return isStandIn(record.message);
  return record.type === "patch" || record.type === "rewind";
}

/** A record as a store keeps it. */
export interface WrittenRecord {
  readonly body: string;
  /** The record as it will be read again: what JSON leaves out is gone here, too. */
  readonly record: LogRecord;
  readonly blobs?: readonly StoredBlob[];
}

/**
 * JSON for a store. Throws "invalid-message" where a message holds what JSON cannot, or has a JSON of its own that is no message.
 * @default link none: the body names no head of the chain
 */
export function writeRecord(given: LogRecord, link?: ChainLink): WrittenRecord {
  const { record, blobs } = withoutBlobs(given);
  const body = stringify(link === undefined ? record : { ...record, chain: link });
  // What was copied from JSON for us is read again as it is: to parse it would cost as much as all else that is done with it.
  const isSame = record.type === "message" && isOwned(record.message) && isPlainJson(record.message);
  const written = isSame ? record : parseRecord(body);
  // What is kept must be readable: a record that is not would make the whole session unreadable.
  if (written !== undefined) return { body, record: written, ...(blobs !== undefined && { blobs }) };
  throw cannotStore("its JSON is no longer a message");
}

/** The record as it is kept, and what is kept beside it. */
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

/** Reads what {@link writeRecord} wrote; throws "store-damaged" where it is something else. */
export function readRecord(body: string, place: { readonly sessionId: string; readonly version: number }): LogRecord {
  const record = parseRecord(body);
  if (record !== undefined && leadsBack(record, place.version)) return record;
  throw new PalimpsestError(
    "store-damaged",
    `Record ${place.version} of the session ${JSON.stringify(place.sessionId)} is none that this version writes. ` +
      "It was changed by hand or by a newer version: restore the database from a backup, or update the package.",
  );
}

/** A rewind to anywhere else would be a log that never was. */
function leadsBack(record: LogRecord, version: number): boolean {
  if (record.type !== "rewind") return true;
  return Number.isInteger(record.toVersion) && record.toVersion >= 0 && record.toVersion < version;
}

/** Undefined where it is no record. Without the link of the chain: that belongs to the place where the body is kept. */
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
  if (!isObject(value)) return false;
  switch (value.type) {
    case "message":
      return isMessage(value.message);
    case "patch":
      return isPatch(value.patch);
    case "rewind":
      return typeof value.toVersion === "number" && typeof value.isUndo === "boolean";
    case "event":
      return isObject(value.event) && typeof value.event.type === "string";
    default:
      return false;
  }
}

function isPatch(value: unknown): value is LogPatch {
  if (!isObject(value)) return false;
  const { removed, changed, inserted } = value;
  return (
    isList(removed, (index) => typeof index === "number") &&
    isList(changed, (change) => isObject(change) && isObject(change.set) && Array.isArray(change.unset)) &&
    isList(inserted, (insertion) => isObject(insertion) && isMessage(insertion.message))
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
