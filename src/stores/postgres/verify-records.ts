import { PalimpsestError } from "../../core/errors.ts";
import { headChecksum, recordChecksum, type SealedHead, type SealedRecord } from "./checksum.ts";

/** What a read found of one session, at one moment. */
export interface FoundRecords {
  readonly sessionId: string;
  /** Of the session's row. */
  readonly version: number;
  /** Of the session's row. */
  readonly rewriteVersion: number;
  readonly afterVersion: number;
  readonly limit: number | undefined;
  readonly records: readonly CheckedRecord[];
}

export interface CheckedRecord extends SealedRecord {
  readonly checksum: string;
}

/** Throws "store-damaged" where a record is missing, one too many, or not what was written. */
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

/** Throws "store-damaged" where a session's row is not what was written. */
export function verifyHead({ checksum, ...head }: SealedHead & { readonly checksum: string }): void {
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
