import type { Store } from "../../core/ports/store.ts";
import { assertRead, assertReadBlobs } from "../../core/store/assert-store-arguments.ts";
import { noSession, type StatementContext } from "./statement-context.ts";
import { type CheckedRecord, verifyHead, verifyRecords } from "./verify-records.ts";

/** The session's row joined with one of its records, or with none. The driver returns 64-bit numbers as text. */
interface RecordRow {
  readonly session_id: string;
  readonly session_checksum: string;
  readonly session_version: string;
  readonly session_rewrite_version: string;
  readonly version: string | null;
  readonly at: string;
  readonly is_rewrite: boolean;
  readonly body: string;
  readonly checksum: string;
}

/** The session's row joined with one of its blobs, or with none. */
interface BlobRow {
  readonly name: string | null;
  readonly bytes: Uint8Array;
}

export function readOperation({ database, table }: StatementContext): Pick<Store, "read" | "readBlobs"> {
  // one statement, so that the session and its records are read from the same snapshot
  const read = {
    name: "read",
    text: `
      SELECT session.id AS session_id, session.version AS session_version, session.rewrite_version AS session_rewrite_version,
        encode(session.checksum, 'hex') AS session_checksum, record.*
      FROM ${table("sessions")} AS session LEFT JOIN LATERAL (
        SELECT version, at, is_rewrite, body, encode(checksum, 'hex') AS checksum FROM ${table("records")}
        WHERE session_key = session.key AND version > $2 ORDER BY version LIMIT $3
      ) AS record ON true
      WHERE session.key = $1 ORDER BY record.version`,
  };

  const readBlobs = {
    name: "read-blobs",
    text: `
      SELECT blob.name, blob.bytes FROM ${table("sessions")} AS session LEFT JOIN ${table("blobs")} AS blob
        ON blob.session_key = session.key AND blob.name = ANY ($2::text[])
      WHERE session.key = $1`,
  };

  return {
    async readBlobs(sessionKey, names) {
      assertReadBlobs(sessionKey, names);
      const rows = await database.read<BlobRow>(readBlobs, [sessionKey, names]);
      if (rows.length === 0) throw noSession(sessionKey);
      return rows.flatMap(({ name, bytes }) => (name === null ? [] : [{ name, bytes: new Uint8Array(bytes) }]));
    },
    async read(sessionKey, options = {}) {
      assertRead(sessionKey, options);
      const { afterVersion = 0, limit } = options;
      const rows = await database.read<RecordRow>(read, [sessionKey, afterVersion, limit]);
      const [first] = rows;
      if (first === undefined) throw noSession(sessionKey);
      const version = Number(first.session_version);
      const rewriteVersion = Number(first.session_rewrite_version);
      const records = first.version === null ? [] : rows.map((row) => toRecord(sessionKey, row));
      const sessionId = first.session_id;
      verifyRecords({ sessionId, version, rewriteVersion, afterVersion, limit, records });
      verifyHead({ id: sessionId, version, rewriteVersion, checksum: first.session_checksum });
      return records.map(({ version, at, body }) => ({ version, at, body }));
    },
  };
}

function toRecord(sessionKey: number, row: RecordRow): CheckedRecord {
  const { is_rewrite: isRewrite, body, checksum } = row;
  return { sessionKey, version: Number(row.version), at: Number(row.at), isRewrite, body, checksum };
}
