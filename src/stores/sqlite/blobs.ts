import type { StoredBlob } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";
import { damaged } from "./store-error.ts";

const INSERT = "INSERT INTO blobs (session_key, name, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
const SELECT = "SELECT bytes FROM blobs WHERE session_key = ? AND name = ?";

export function insertBlobs(database: Database, sessionKey: number, blobs: readonly StoredBlob[]): void {
  for (const { name, bytes } of blobs) database.statement(INSERT).run(sessionKey, name, bytes);
}

export function selectBlobs(database: Database, sessionKey: number, names: readonly string[]): readonly StoredBlob[] {
  return [...new Set(names)].flatMap((name) => {
    const row = database.statement(SELECT).get(sessionKey, name);
    if (row === undefined) return [];
    if (!(row.bytes instanceof Uint8Array)) throw damaged(database.path, `the blob ${JSON.stringify(name)} is none`);
    return [{ name, bytes: row.bytes }];
  });
}
