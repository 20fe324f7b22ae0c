import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type AcknowledgedHeads, openAcknowledgedHeads } from "./acknowledged-heads.ts";
import { assertKnownSchema, migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { headChecksum } from "./record-checksum.ts";
import { damaged, failed } from "./store-error.ts";

/** How long SQLite itself waits for another process. The event loop stands still meanwhile, so we wait for the rest. */
const BLOCKING_WAIT_MS = 20;

/** What the -wal file is cut to after it was larger. */
const LARGEST_IDLE_LOG_BYTES = 64 * 1_024 ** 2;

/** An open file whose schema is up to date. */
export interface Database {
  readonly path: string;
  readonly connection: DatabaseSync;
  readonly heads: AcknowledgedHeads;
  /** Prepared once, then kept. */
  statement(sql: string): StatementSync;
}

/** Opens the file, makes it where there is none, and refuses those that are not ours or not whole. */
export function openDatabase(path: string): Database {
  prepareFile(path);
  const connection = new DatabaseSync(path);
  let heads: AcknowledgedHeads;
  try {
    connection.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
    assertKnownSchema(connection, path, MIGRATIONS.length);
    configure(connection, path);
    connection.function("head_checksum", (id, version, rewriteVersion) =>
      headChecksum({ id: String(id), version: Number(version), rewriteVersion: Number(rewriteVersion) }),
    );
    const isMigrated = migrate(connection, path, MIGRATIONS);
    // The schema must not be in the log alone: were that damaged, the file would be taken for a new one.
    if (isMigrated) connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    assertWholeSessions(connection, path);
    heads = openAcknowledgedHeads(connection, path);
  } catch (error) {
    connection.close();
    throw error;
  }
  const statements = new Map<string, StatementSync>();
  const statement = (sql: string) => {
    const prepared = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, prepared);
    return prepared;
  };
  return { path, connection, heads, statement };
}

function configure(connection: DatabaseSync, path: string): void {
  const mode = connection.prepare("PRAGMA journal_mode = WAL").get()?.journal_mode;
  if (mode !== "wal") {
    throw failed(`The file system of ${path} cannot share memory between processes`, "Choose a path on a local disk");
  }
  connection.exec(`
    PRAGMA synchronous = NORMAL; -- the file is always whole; that a write is on the disk we see to ourselves (sync-log.ts)
    PRAGMA fullfsync = ON; -- without it macOS leaves the last writes in the drive's own memory
    PRAGMA secure_delete = ON; -- what is deleted is gone from the file too
    PRAGMA journal_size_limit = ${LARGEST_IDLE_LOG_BYTES};
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
  `);
}

/** A damaged list of sessions could hide one, and opening it would then make an empty one: a wrong answer, silently. */
function assertWholeSessions(connection: DatabaseSync, path: string): void {
  const [first] = connection.prepare("PRAGMA integrity_check(sessions)").all();
  const finding = first?.integrity_check;
  if (finding !== "ok") throw damaged(path, `the list of sessions is not whole (${String(finding)})`);
}

/**
 * Makes the file, readable for its owner alone, where there is none; SQLite gives its -wal and -shm the same mode. Says
 * what is in the way where it cannot be used.
 *
 * A file that exists is never opened here: closing it would release the locks that other handles of this process hold.
 */
function prepareFile(path: string): void {
  const folder = dirname(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    makeFolder(folder);
    unlessThere(() => closeSync(openSync(path, "wx", 0o600)));
  } else if (!found.isFile()) {
    throw failed(`${path} is ${found.isDirectory() ? "a folder" : "no file"}`, "Give the path of a database file");
  }
  accessSync(path, constants.R_OK | constants.W_OK);
  accessSync(folder, constants.W_OK);
}

// One by one, as Node's recursive mkdir says ENOENT on a read-only disk, which explains nothing.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  unlessThere(() => mkdirSync(folder, { mode: 0o700 }));
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    const isMadeByOther = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isMadeByOther) throw error;
  }
}
