import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredRecord } from "../../src/core/ports/store.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { inTemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

export const SAMPLE_IDS = ["first", "second", "third"] as const;

/** A closed file with three sessions of twelve records that lie among each other, the third of each a rewrite. */
export interface SqliteSample {
  readonly bytes: Uint8Array;
  readonly logs: ReadonlyMap<string, readonly StoredRecord[]>;
}

/** What a file gives for each session: its log, or the code of the error. */
export type ReadLogs = ReadonlyMap<string, readonly StoredRecord[] | string>;

export function makeSqliteSample(): Promise<SqliteSample> {
  return inTemporaryFolder((folder) => makeSampleIn(join(folder, "store.db")));
}

async function makeSampleIn(path: string): Promise<SqliteSample> {
  const store = sqliteStore({ path });
  const logs = new Map<string, readonly StoredRecord[]>();
  for (let round = 1; round <= 12; round++) {
    for (const id of SAMPLE_IDS) {
      const { key } = await store.open(id);
      const body = JSON.stringify(`${id} ${round} ${"text ".repeat(round ** 3)}`);
      await store.append(key, [{ body, isRewrite: round === 3, terms: [id, `t${round}`] }]);
    }
  }
  for (const id of SAMPLE_IDS) {
    const { key } = await store.open(id);
    await store.saveCheckpoint(key, { id: "c1", at: 1, body: `"${id}"` });
    logs.set(id, await store.read(key));
  }
  await store.close();
  return { bytes: readFileSync(path), logs };
}

/** The path of a new file with these bytes. */
export function writeDatabase(bytes: Uint8Array): string {
  const path = join(temporaryFolder(), "store.db");
  writeFileSync(path, bytes);
  return path;
}

/** As someone would with SQLite's own tools. */
export function editDatabase(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

export async function readLogs(path: string): Promise<ReadLogs> {
  const store = sqliteStore({ path });
  const read = async (id: string) => {
    try {
      const session = await store.find(id);
      return session === undefined ? "lost" : await store.read(session.key);
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : `not ours: ${String(error)}`;
    }
  };
  const found = new Map<string, readonly StoredRecord[] | string>();
  for (const id of SAMPLE_IDS) found.set(id, await read(id));
  await store.close();
  return found;
}
