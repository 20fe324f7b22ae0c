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

/** The SHA-256 of a checkpoint in hex. */
export function checkpointChecksum(sessionKey: number, { id, at, body }: StoredCheckpoint): string {
  return hash("sha256", `${sessionKey} ${at} ${JSON.stringify(id)} ${body}`);
}
