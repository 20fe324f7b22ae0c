import type { SavedStates } from "../../core/ports/store.ts";
import { assertSessionKey, assertState } from "../../core/store/assert-store-arguments.ts";
import { noSession, type StatementContext } from "./statement-context.ts";

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
