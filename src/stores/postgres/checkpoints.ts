import { PalimpsestError } from "../../core/errors.ts";
import type { Store, StoredCheckpoint } from "../../core/ports/store.ts";
import {
  assertCheckpoint,
  assertLimit,
  assertName,
  assertSessionKey,
} from "../../core/store/assert-store-arguments.ts";
import { noSession, type StatementContext } from "./statement-context.ts";
import { checkpointChecksum } from "./verify-records.ts";

/** The session's row joined with one of its checkpoints, or with none. The driver returns 64-bit numbers as text. */
interface CheckpointRow {
  readonly session_id: string;
  readonly id: string | null;
  readonly at: string;
  readonly body: string;
  readonly checksum: string;
}

type CheckpointOperations = Pick<Store, "saveCheckpoint" | "listCheckpoints" | "deleteCheckpoint">;

export function checkpointOperations({ database, table }: StatementContext): CheckpointOperations {
  const statements = checkpointStatements(table);

  return {
    async saveCheckpoint(sessionKey, checkpoint) {
      assertCheckpoint(sessionKey, checkpoint);
      const { id, at, body } = checkpoint;
      const values = [sessionKey, id, at, body, checkpointChecksum(sessionKey, checkpoint)];
      const rows = await database.write(statements.save, values);
      if (rows.length === 0) throw noSession(sessionKey);
    },

    async listCheckpoints(sessionKey, options) {
      assertSessionKey(sessionKey);
      assertLimit(options);
      const rows = await database.read<CheckpointRow>(statements.list, [sessionKey, options?.limit]);
      if (rows.length === 0) throw noSession(sessionKey);
      return rows.flatMap((row) => toCheckpoints(sessionKey, row));
    },

    async deleteCheckpoint(sessionKey, checkpointId) {
      assertSessionKey(sessionKey);
      assertName("checkpointId", checkpointId);
      return (await database.write(statements.delete, [sessionKey, checkpointId])).length > 0;
    },
  };
}

function checkpointStatements(table: StatementContext["table"]) {
  const [sessions, checkpoints] = [table("sessions"), table("checkpoints")];
  return {
    save: {
      name: "save-checkpoint",
      text: `
        INSERT INTO ${checkpoints} (session_key, id, at, body, checksum)
        SELECT key, $2, $3, $4, decode($5, 'hex') FROM ${sessions} WHERE key = $1 FOR KEY SHARE
        ON CONFLICT (session_key, id) DO UPDATE
        SET save_order = DEFAULT, at = excluded.at, body = excluded.body, checksum = excluded.checksum
        RETURNING 1`,
    },
    list: {
      name: "list-checkpoints",
      text: `
        SELECT session.id AS session_id, saved.id, saved.at, saved.body, encode(saved.checksum, 'hex') AS checksum
        FROM ${sessions} AS session LEFT JOIN LATERAL (
          SELECT * FROM ${checkpoints} WHERE session_key = session.key ORDER BY at DESC, save_order DESC LIMIT $2
        ) AS saved ON true
        WHERE session.key = $1 ORDER BY saved.at DESC, saved.save_order DESC`,
    },
    delete: {
      name: "delete-checkpoint",
      text: `DELETE FROM ${checkpoints} WHERE session_key = $1 AND id = $2 RETURNING 1`,
    },
  };
}

function toCheckpoints(sessionKey: number, row: CheckpointRow): readonly StoredCheckpoint[] {
  if (row.id === null) return [];
  const checkpoint = { id: row.id, at: Number(row.at), body: row.body };
  if (checkpointChecksum(sessionKey, checkpoint) === row.checksum) return [checkpoint];
  throw new PalimpsestError(
    "store-damaged",
    `The checkpoint ${JSON.stringify(row.id)} of the session ${JSON.stringify(row.session_id)} is not what was written. ` +
      "Delete it, or restore the database from a backup.",
  );
}
