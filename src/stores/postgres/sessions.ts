import type { SavedStates, Store, StoredSession } from "../../core/ports/store.ts";
import { assertLimit, assertName, assertSessionKey, assertState } from "../../core/store/assert-store-arguments.ts";
import type { RunStatement } from "./database.ts";
import { sessionQuery } from "./lexemes.ts";
import { millisecondsSql, noSession, type StatementContext } from "./statement-context.ts";
import { headChecksumSql, verifyHead } from "./verify-records.ts";

const DEFAULT_LIST_LIMIT = 100;

/** A session's row; the driver returns 64-bit numbers as text. */
interface SessionRow {
  readonly key: string;
  readonly id: string;
  readonly version: string;
  readonly rewrite_version: string;
  readonly checksum: string;
  readonly created_at: string;
  readonly updated_at: string;
}

type SessionOperations = Pick<Store, "open" | "find" | "list" | "delete">;

export function sessionOperations({ database, table }: StatementContext): SessionOperations {
  const statements = sessionStatements(table);
  const deletion = deleteStatements(table);

  return {
    async open(sessionId) {
      assertName("sessionId", sessionId);
      // returns no row only where another process creates or deletes the session at the same time
      for (;;) {
        const [row] = await database.write<SessionRow>(statements.open, [sessionId]);
        if (row !== undefined) return checkedSession(row);
      }
    },

    async find(sessionId) {
      assertName("sessionId", sessionId);
      const [row] = await database.read<SessionRow>(statements.find, [sessionId]);
      return row === undefined ? undefined : checkedSession(row);
    },

    async list(options) {
      assertLimit(options);
      const rows = await database.read<SessionRow>(statements.list, [options?.limit ?? DEFAULT_LIST_LIMIT]);
      // Not verified: a damaged session must not hide the others, and opening it throws.
      return rows.map(toSession);
    },

    async delete(sessionId) {
      assertName("sessionId", sessionId);
      return database.transaction(async (run) => {
        // locks the row against appends; the next statements see what was appended before
        const [row] = await run<{ readonly key: string }>(statements.deleteSession, [sessionId]);
        if (row === undefined) return false;
        await deletion.deleteRest(run, row.key);
        return true;
      });
    },
  };
}

function sessionStatements(table: StatementContext["table"]) {
  const columns = `key, id, version, rewrite_version, encode(checksum, 'hex') AS checksum,
    ${millisecondsSql("created_at")} AS created_at, ${millisecondsSql("updated_at")} AS updated_at`;
  const sessions = table("sessions");
  return {
    open: {
      name: "open",
      // selects first: an insert that conflicts with an existing row would use up a key
      text: `WITH made AS (
          INSERT INTO ${sessions} (id, created_at, updated_at, checksum)
          SELECT $1, now, now, ${headChecksumSql({ id: "$1::text", version: "0", rewriteVersion: "0" })} FROM clock_timestamp() AS now
          WHERE NOT EXISTS (SELECT FROM ${sessions} WHERE id = $1)
          ON CONFLICT (id) DO NOTHING
          RETURNING ${columns}
        )
        SELECT * FROM made UNION ALL SELECT ${columns} FROM ${sessions} WHERE id = $1`,
    },
    find: { name: "find", text: `SELECT ${columns} FROM ${sessions} WHERE id = $1` },
    list: {
      name: "list",
      text: `SELECT ${columns} FROM ${sessions} ORDER BY sessions.updated_at DESC, key DESC LIMIT $1`,
    },
    deleteSession: { name: "delete-session", text: `DELETE FROM ${sessions} WHERE id = $1 RETURNING key` },
  };
}

/** Deletes the records, blobs and terms of a session, in the transaction that deletes its row; locks, checkpoints and saved states are deleted by cascade. */
export function deleteStatements(table: StatementContext["table"]) {
  const records = { name: "delete-records", text: `DELETE FROM ${table("records")} WHERE session_key = $1` };
  const blobs = { name: "delete-blobs", text: `DELETE FROM ${table("blobs")} WHERE session_key = $1` };
  const terms = {
    name: "delete-terms",
    text: `DELETE FROM ${table("record_terms")} WHERE session_key = $1 AND lexemes @@ $2::tsquery`,
  };
  return {
    async deleteRest(run: RunStatement, sessionKey: string): Promise<void> {
      await run(records, [sessionKey]);
      await run(blobs, [sessionKey]);
      await run(terms, [sessionKey, sessionQuery(Number(sessionKey))]);
    },
  };
}

function checkedSession(row: SessionRow): StoredSession {
  const session = toSession(row);
  verifyHead({ ...session, checksum: row.checksum });
  return session;
}

function toSession(row: SessionRow): StoredSession {
  return {
    key: Number(row.key),
    id: row.id,
    version: Number(row.version),
    rewriteVersion: Number(row.rewrite_version),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** A row; the driver returns 64-bit numbers as text. */
interface StateRow {
  readonly version: string;
  readonly body: string;
}

export function savedStateOperations({ database, table }: StatementContext): SavedStates {
  const states = table("saved_states");
  const save = {
    name: "save-state",
    // returns a row wherever there is the session, also where a newer state stays
    text: `
      WITH known AS (SELECT key FROM ${table("sessions")} WHERE key = $1 FOR KEY SHARE), saved AS (
        INSERT INTO ${states} AS state (session_key, version, body) SELECT key, $2, $3 FROM known
        ON CONFLICT (session_key) DO UPDATE SET version = excluded.version, body = excluded.body
        WHERE excluded.version >= state.version
      )
      SELECT 1 FROM known`,
  };
  const read = { name: "read-state", text: `SELECT version, body FROM ${states} WHERE session_key = $1` };
  return {
    async save(sessionKey, state) {
      assertState(sessionKey, state);
      const { version, body } = state;
      const rows = await database.write(save, [sessionKey, version, body]);
      if (rows.length === 0) throw noSession(sessionKey);
    },

    async read(sessionKey) {
      assertSessionKey(sessionKey);
      const [row] = await database.read<StateRow>(read, [sessionKey]);
      return row && { version: Number(row.version), body: row.body };
    },
  };
}
