import type { StoredState } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";

const SAVE = `
  INSERT INTO saved_states (session_key, version, body) VALUES (?, ?, ?)
  ON CONFLICT (session_key) DO UPDATE SET version = excluded.version, body = excluded.body
  WHERE excluded.version >= saved_states.version`;
const SELECT = "SELECT version, body FROM saved_states WHERE session_key = ?";

export function replaceState(database: Database, sessionKey: number, { version, body }: StoredState): void {
  database.statement(SAVE).run(sessionKey, version, body);
}

/** The saved state; undefined where there is none, or where its row is damaged: it can be derived again. */
export function selectState(database: Database, sessionKey: number): StoredState | undefined {
  const { version, body } = database.statement(SELECT).get(sessionKey) ?? {};
  return typeof version === "number" && typeof body === "string" ? { version, body } : undefined;
}
