import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type AcknowledgedHeads, openAcknowledgedHeads } from "./acknowledged-heads.ts";
import { assertKnownSchema, migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { headChecksum } from "./record-checksum.ts";
import { damaged, failed } from "./store-error.ts";

/** How long SQLite itself waits for another process. It blocks the event loop meanwhile, so that longer waits are our own. */
const BLOCKING_WAIT_MS = 20;

/** The size to which a larger -wal file is truncated. */
const LARGEST_IDLE_LOG_BYTES = 64 * 1_024 ** 2;

/** After how many pages of log (16 MB) a commit also writes the log into the database file. Four times SQLite's default: that blocks the event loop a quarter as often, for no longer. */
const LOG_PAGES = 4_000;

/** An open file whose schema is up to date. */
export interface Database {
  readonly path: string;
  readonly connection: DatabaseSync;
  readonly heads: AcknowledgedHeads;
  /** The prepared statement for this SQL, from a cache. */
  statement(sql: string): StatementSync;
}

/** Opens the file, or creates it where there is none. Throws on a file that is not ours, or is damaged. */
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
    // The schema must not be in the log alone: if that were damaged, the file would be taken for a new one.
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
    PRAGMA synchronous = NORMAL; -- never corrupts the file; sync-log.ts makes commits durable
    PRAGMA fullfsync = ON; -- without it, macOS leaves the last writes in the drive's cache
    PRAGMA secure_delete = ON; -- overwrites deleted content in the file
    PRAGMA wal_autocheckpoint = ${LOG_PAGES};
    PRAGMA journal_size_limit = ${LARGEST_IDLE_LOG_BYTES};
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
  `);
}

/** Throws where the table of sessions is damaged: it could hide a session, and opening that one would silently create an empty one. */
function assertWholeSessions(connection: DatabaseSync, path: string): void {
  const [first] = connection.prepare("PRAGMA integrity_check(sessions)").all();
  const finding = first?.integrity_check;
  if (finding !== "ok") throw damaged(path, `the list of sessions is not whole (${String(finding)})`);
}

/**
 * Creates the file, readable for its owner alone, where there is none; SQLite gives its -wal and -shm the same mode. Throws
 * where the file cannot be used.
 *
 * A file that exists is never opened here: closing it would release the locks that other handles of this process hold.
 */
function prepareFile(path: string): void {
  const folder = dirname(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    makeFolder(folder);
    ignoreExisting(() => closeSync(openSync(path, "wx", 0o600)));
  } else if (!found.isFile()) {
    throw failed(`${path} is ${found.isDirectory() ? "a folder" : "no file"}`, "Give the path of a database file");
  }
  accessSync(path, constants.R_OK | constants.W_OK);
  accessSync(folder, constants.W_OK);
}

// Recursive by ourselves, because Node's recursive mkdir fails with a misleading ENOENT on a read-only disk.
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  ignoreExisting(() => mkdirSync(folder, { mode: 0o700 }));
}

/** Runs `create`, and ignores that another process was faster. */
function ignoreExisting(create: () => void): void {
  try {
    create();
  } catch (error) {
    const isExisting = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isExisting) throw error;
  }
}
