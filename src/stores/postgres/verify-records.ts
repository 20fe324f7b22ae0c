import { hash } from "node:crypto";
import { PalimpsestError } from "../../core/errors.ts";
import type { StoredCheckpoint } from "../../core/ports/store.ts";

/** The records that a read returned, with the session's row from the same snapshot. */
export interface FoundRecords {
  readonly sessionId: string;
  /** From the session's row. */
  readonly version: number;
  /** From the session's row. */
  readonly rewriteVersion: number;
  readonly afterVersion: number;
  readonly limit: number | undefined;
  readonly records: readonly CheckedRecord[];
}

export interface CheckedRecord extends RecordFields {
  readonly checksum: string;
}

/** Throws "store-damaged" where a record is missing, is one too many, or differs from what was written. */
export function verifyRecords(found: FoundRecords): void {
  const { sessionId, version, rewriteVersion, afterVersion, limit = Number.POSITIVE_INFINITY, records } = found;
  const expectedCount = Math.min(limit, Math.max(0, version - afterVersion));
  records.forEach((record, index) => {
    const expectedVersion = afterVersion + index + 1;
    if (index >= expectedCount) throw damaged(sessionId, record.version, `the session ends at version ${version}`);
    if (record.version !== expectedVersion) throw damaged(sessionId, expectedVersion, "it is missing");
    if (recordChecksum(record) !== record.checksum) throw damaged(sessionId, expectedVersion, "it was changed");
    const isNewestRewrite = record.version === rewriteVersion;
    if (record.version >= rewriteVersion && record.isRewrite !== isNewestRewrite) {
      throw damaged(sessionId, expectedVersion, `the session names ${rewriteVersion} as its newest rewrite`);
    }
  });
  if (records.length < expectedCount) throw damaged(sessionId, afterVersion + records.length + 1, "it is missing");
  if (rewriteVersion > version) throw damaged(sessionId, rewriteVersion, `the session ends at version ${version}`);
}

/** Throws "store-damaged" where a session's row differs from what was written. */
export function verifyHead({ checksum, ...head }: SessionHead & { readonly checksum: string }): void {
  if (headChecksum(head) === checksum) return;
  throw new PalimpsestError(
    "store-damaged",
    `The entry of the session ${JSON.stringify(head.id)} is not what was written. Restore the database from a backup, or ` +
      "delete the session.",
  );
}

function damaged(sessionId: string, version: number, what: string): PalimpsestError {
  return new PalimpsestError(
    "store-damaged",
    `Record ${version} of the session ${JSON.stringify(sessionId)} is not what was written: ${what}. Restore the database ` +
      "from a backup, or delete the session.",
  );
}

/** The fields that the checksum of a record covers. */
interface RecordFields {
  readonly sessionKey: number;
  readonly version: number;
  readonly at: number;
  readonly isRewrite: boolean;
  readonly body: string;
}

/** The SHA-256 of a record in hex; {@link RECORD_CHECKSUM_SQL} is the same formula. */
function recordChecksum({ sessionKey, version, at, isRewrite, body }: RecordFields): string {
  return hash("sha256", `${sessionKey} ${version} ${at} ${isRewrite} ${body}`);
}

/** An SQL expression for the checksum of a record, over columns of these names. */
export const RECORD_CHECKSUM_SQL =
  "sha256(convert_to(concat_ws(' ', session_key, version, at, is_rewrite::text, body), 'UTF8'))";

/** The fields that the checksum of a session's row covers. */
interface SessionHead {
  readonly id: string;
  readonly version: number;
  readonly rewriteVersion: number;
}

/** The SHA-256 of a session's id and versions in hex; {@link headChecksumSql} is the same formula. */
function headChecksum({ id, version, rewriteVersion }: SessionHead): string {
  return hash("sha256", `${version} ${rewriteVersion} ${id}`);
}

/** An SQL expression for the checksum of a session's row, over these SQL expressions. */
export function headChecksumSql({ id, version, rewriteVersion }: Readonly<Record<keyof SessionHead, string>>): string {
  return `sha256(convert_to(concat_ws(' ', ${version}, ${rewriteVersion}, ${id}), 'UTF8'))`;
}

/** The SHA-256 of a checkpoint in hex. */
export function checkpointChecksum(sessionKey: number, { id, at, body }: StoredCheckpoint): string {
  return hash("sha256", `${sessionKey} ${at} ${JSON.stringify(id)} ${body}`);
}
