import { hash } from "node:crypto";
import type { StoredCheckpoint } from "../../core/ports/store.ts";

/** What the checksum of a record covers. */
export interface SealedRecord {
  readonly sessionKey: number;
  readonly version: number;
  readonly at: number;
  readonly isRewrite: boolean;
  readonly body: string;
}

/** The SHA-256 of a record in hex; {@link RECORD_CHECKSUM_SQL} is the same formula. */
export function recordChecksum({ sessionKey, version, at, isRewrite, body }: SealedRecord): string {
  return hash("sha256", `${sessionKey} ${version} ${at} ${isRewrite} ${body}`);
}

/** Computes the checksum where a record gets its version and its time, from columns of these names. */
export const RECORD_CHECKSUM_SQL =
  "sha256(convert_to(concat_ws(' ', session_key, version, at, is_rewrite::text, body), 'UTF8'))";

/** What the checksum of a session's row covers. */
export interface SealedHead {
  readonly id: string;
  readonly version: number;
  readonly rewriteVersion: number;
}

/** The SHA-256 of what a session's row says of its records, in hex; {@link headChecksumSql} is the same formula. */
export function headChecksum({ id, version, rewriteVersion }: SealedHead): string {
  return hash("sha256", `${version} ${rewriteVersion} ${id}`);
}

/** Computes it where a session's row is written, from expressions of SQL. */
export function headChecksumSql({ id, version, rewriteVersion }: Readonly<Record<keyof SealedHead, string>>): string {
  return `sha256(convert_to(concat_ws(' ', ${version}, ${rewriteVersion}, ${id}), 'UTF8'))`;
}

/** The SHA-256 of a checkpoint in hex. */
export function checkpointChecksum(sessionKey: number, { id, at, body }: StoredCheckpoint): string {
  return hash("sha256", `${sessionKey} ${at} ${JSON.stringify(id)} ${body}`);
}
