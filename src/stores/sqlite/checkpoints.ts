import type { StoredCheckpoint, StoredSession } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";
import { checkpointChecksum } from "./record-checksum.ts";
import { integerOf, type Row, textOf } from "./row.ts";
import { damaged } from "./store-error.ts";

const REPLACE = "INSERT OR REPLACE INTO checkpoints (session_key, id, at, checksum, body) VALUES (?, ?, ?, ?, ?)";
const SELECT = `
  SELECT id, at, checksum, body FROM checkpoints
  WHERE session_key = ? ORDER BY at DESC, number DESC LIMIT ?`;
const DELETE = "DELETE FROM checkpoints WHERE session_key = ? AND id = ?";

export function replaceCheckpoint(database: Database, sessionKey: number, checkpoint: StoredCheckpoint): void {
  const { id, at, body } = checkpoint;
  const checksum = checkpointChecksum({ sessionKey, id, at, body });
  database.statement(REPLACE).run(sessionKey, id, at, checksum, body);
}

/** The checkpoints of a session, the newest first. Throws where one differs from what was saved. */
export function selectCheckpoints(
  database: Database,
  session: StoredSession,
  limit: number | undefined,
): readonly StoredCheckpoint[] {
  const rows = database.statement(SELECT).all(session.key, limit ?? -1);
  return rows.map((row) => toCheckpoint(row, session, database.path));
}

export function removeCheckpoint(database: Database, sessionKey: number, checkpointId: string): boolean {
  return Number(database.statement(DELETE).run(sessionKey, checkpointId).changes) > 0;
}

function toCheckpoint(row: Row, session: StoredSession, path: string): StoredCheckpoint {
  const checkpoint = { id: textOf(row, "id", path), at: integerOf(row, "at", path), body: textOf(row, "body", path) };
  if (row.checksum === checkpointChecksum({ sessionKey: session.key, ...checkpoint })) return checkpoint;
  const [checkpointId, sessionId] = [checkpoint.id, session.id].map((id) => JSON.stringify(id));
  throw damaged(path, `the checkpoint ${checkpointId} of the session ${sessionId} is not what was saved`);
}
