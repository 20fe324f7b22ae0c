import type { NewRecord, ReadOptions, StoredBlob, StoredRecord, StoredSession } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";
import { type RecordFields, recordChecksum } from "./record-checksum.ts";
import { integerOf, type Row, textOf } from "./row.ts";
import { encodeTermList } from "./search-records.ts";
import { damaged } from "./store-error.ts";

const INSERT = "INSERT INTO records (id, at, is_rewrite, checksum, body) VALUES (? << 32 | ?, ?, ?, ?, ?)";
const INSERT_TERMS = "INSERT INTO record_terms (rowid, terms) VALUES (? << 32 | ?, ?)";
const SELECT_AFTER = `
  SELECT id & 0xffffffff AS version, at, is_rewrite, checksum, body FROM records
  WHERE id > (:key << 32) + :after AND id <= :key << 32 | 0xffffffff
  ORDER BY id LIMIT :limit`;

/** Appends records, and returns the session as it is then; the caller has to update its row. */
export function insertRecords(
  database: Database,
  session: StoredSession,
  { records, at }: { readonly records: readonly NewRecord[]; readonly at: number },
): StoredSession {
  let { version, rewriteVersion } = session;
  for (const { body, isRewrite = false, terms = [], blobs = [] } of records) {
    version++;
    if (isRewrite) rewriteVersion = version;
    const checksum = recordChecksum({ sessionKey: session.key, version, at, isRewrite, body });
    database.statement(INSERT).run(session.key, version, at, isRewrite ? 1 : 0, checksum, body);
    if (terms.length > 0) database.statement(INSERT_TERMS).run(session.key, version, encodeTerms(terms));
    insertBlobs(database, session.key, blobs);
  }
  return { ...session, version, rewriteVersion, updatedAt: at };
}

/** The records after a version. Throws where one is missing or differs from what was written. */
export function selectRecords(
  database: Database,
  session: StoredSession,
  { afterVersion = 0, limit = session.version }: ReadOptions,
): readonly StoredRecord[] {
  const expected = Math.max(0, Math.min(limit, session.version - afterVersion));
  if (expected === 0) return [];
  const rows = database.statement(SELECT_AFTER).all({ key: session.key, after: afterVersion, limit: expected });
  const records = rows.map((row, index) => toRecord(database, row, { session, version: afterVersion + 1 + index }));
  if (records.length < expected) throw missing(database, session, afterVersion + records.length + 1);
  return records;
}

interface ExpectedRecord {
  readonly session: StoredSession;
  readonly version: number;
}

function toRecord({ path }: Database, row: Row, { session, version }: ExpectedRecord): StoredRecord {
  if (row.version !== version) throw missing({ path }, session, version);
  const fields: RecordFields = {
    sessionKey: session.key,
    version,
    at: integerOf(row, "at", path),
    isRewrite: row.is_rewrite === 1,
    body: textOf(row, "body", path),
  };
  const isLater = fields.isRewrite && version > session.rewriteVersion;
  const isUnmarked = !fields.isRewrite && version === session.rewriteVersion;
  if (row.checksum !== recordChecksum(fields) || isLater || isUnmarked) {
    throw damaged(path, `record ${version} of the session ${JSON.stringify(session.id)} is not what was written`);
  }
  return { version, at: fields.at, body: fields.body };
}

function missing({ path }: Pick<Database, "path">, { id }: StoredSession, version: number) {
  return damaged(path, `record ${version} of the session ${JSON.stringify(id)} is missing`);
}

function encodeTerms(terms: readonly string[]): string {
  return encodeTermList([...new Set(terms)]);
}

const INSERT_BLOB = "INSERT INTO blobs (session_key, name, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
const SELECT_BLOB = "SELECT bytes FROM blobs WHERE session_key = ? AND name = ?";

export function insertBlobs(database: Database, sessionKey: number, blobs: readonly StoredBlob[]): void {
  for (const { name, bytes } of blobs) database.statement(INSERT_BLOB).run(sessionKey, name, bytes);
}

export function selectBlobs(database: Database, sessionKey: number, names: readonly string[]): readonly StoredBlob[] {
  return [...new Set(names)].flatMap((name) => {
    const row = database.statement(SELECT_BLOB).get(sessionKey, name);
    if (row === undefined) return [];
    if (!(row.bytes instanceof Uint8Array)) throw damaged(database.path, `the blob ${JSON.stringify(name)} is none`);
    return [{ name, bytes: row.bytes }];
  });
}
