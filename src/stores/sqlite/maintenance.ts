import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { SessionSize, StoreCheck, StoreMaintenance } from "../../core/ports/store-maintenance.ts";
import { assertHolds, assertMeasured, assertPin } from "../../core/store/assert-maintenance-arguments.ts";
import type { Connection } from "./connection.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { NewestVersions } from "./newest-versions.ts";
import type { Database } from "./open-database.ts";
import { integerOf, type Row, textOf } from "./row.ts";
import { deleteSession } from "./sessions.ts";
import { inTransaction } from "./transaction.ts";

const RANGE = "BETWEEN sessions.key << 32 AND sessions.key << 32 | 0xffffffff";
const MEASURE = `
  SELECT key, id, version, updated_at, is_pinned,
    coalesce((SELECT sum(octet_length(body)) FROM records WHERE records.id ${RANGE}), 0)
    + coalesce((SELECT sum(octet_length(bytes)) FROM blobs WHERE session_key = key), 0)
    + coalesce((SELECT sum(octet_length(body)) FROM checkpoints WHERE session_key = key), 0)
    + coalesce((SELECT octet_length(body) FROM saved_states WHERE session_key = key), 0) AS bytes
  FROM sessions ORDER BY write_order DESC`;
// instr, not LIKE, which ignores case and has wildcards
const HOLDS = `
  SELECT 1 FROM records WHERE id BETWEEN :key << 32 AND :key << 32 | 0xffffffff AND instr(body, :text) > 0 LIMIT 1`;
const UNPINNED = "SELECT id FROM sessions WHERE key = ? AND version = ? AND is_pinned = 0";
const COUNTS = `
  SELECT id, version, (SELECT count(*) FROM records WHERE records.id ${RANGE}) AS records FROM sessions`;

export interface MaintenancePorts {
  readonly path: string;
  readonly connection: Connection;
  readonly clock: () => number;
  readonly newest: NewestVersions;
}

export function sqliteMaintenance({ path, connection, clock, newest }: MaintenancePorts): StoreMaintenance {
  const { read, write } = connection;
  return {
    async pin(sessionId, isPinned) {
      assertPin(sessionId, isPinned);
      const pin = "UPDATE sessions SET is_pinned = ? WHERE id = ?";
      return write((database) => Number(database.statement(pin).run(isPinned ? 1 : 0, sessionId).changes) > 0);
    },
    measure: () => read((database) => measure(database, clock())),
    async holds(sessionKey, text) {
      assertHolds(sessionKey, text);
      return read((database) => database.statement(HOLDS).get({ key: sessionKey, text }) !== undefined);
    },
    async remove(session) {
      assertMeasured(session);
      const { key, version } = session;
      return write((database) => {
        const row = database.statement(UNPINNED).get(key, version);
        if (row === undefined) return false;
        newest.forgetAll();
        return deleteSession(database, textOf(row, "id", database.path));
      });
    },
    check: () => read((database) => check(database, clock())),
    async migrate() {
      const fromVersion = schemaVersionOf(path);
      // a file is brought up to date when it is opened
      await read(() => undefined);
      const steps = MIGRATIONS.filter(({ version }) => version > fromVersion);
      return { fromVersion, toVersion: MIGRATIONS.length, steps: steps.map(({ version }) => `schema ${version}`) };
    },
    vacuum: () => connection.alone(({ connection: file }) => file.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")),
  };
}

function measure(database: Database, now: number): readonly SessionSize[] {
  return database
    .statement(MEASURE)
    .all()
    .map((row) => toMeasured(row, now, database.path));
}

function toMeasured(row: Row, now: number, path: string): SessionSize {
  return {
    key: integerOf(row, "key", path),
    id: textOf(row, "id", path),
    version: integerOf(row, "version", path),
    idleMs: now - integerOf(row, "updated_at", path),
    bytes: integerOf(row, "bytes", path),
    isPinned: row.is_pinned === 1,
  };
}

function check(database: Database, now: number): StoreCheck {
  const { connection, path } = database;
  const findings = connection.prepare("PRAGMA integrity_check").all();
  const broken = findings.map((row) => String(row.integrity_check)).filter((finding) => finding !== "ok");
  // Sums over damaged pages would throw, with a less helpful message.
  if (broken.length > 0) return { ...NOTHING, problems: broken };
  const sessions = measure(database, now);
  const counts = database.statement(COUNTS).all();
  const short = counts.flatMap((row) => {
    const [version, records] = [integerOf(row, "version", path), integerOf(row, "records", path)];
    const id = JSON.stringify(textOf(row, "id", path));
    return version === records ? [] : [`the session ${id} has ${records} records, and its entry says ${version}`];
  });
  return {
    ...NOTHING,
    sessions: sessions.length,
    records: counts.reduce((sum, row) => sum + integerOf(row, "records", path), 0),
    bytes: sessions.reduce((sum, { bytes }) => sum + bytes, 0),
    problems: short,
  };
}

const NOTHING = { schemaVersion: MIGRATIONS.length, sessions: 0, records: 0, bytes: 0, pending: [] };

/** Reads the schema version without migrating the file; 0 where there is no file. */
function schemaVersionOf(path: string): number {
  if (!existsSync(path)) return 0;
  const file = new DatabaseSync(path, { readOnly: true });
  try {
    return inTransaction(file, "BEGIN", () => Number(file.prepare("PRAGMA user_version").get()?.user_version));
  } finally {
    file.close();
  }
}
