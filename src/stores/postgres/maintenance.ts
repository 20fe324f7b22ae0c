import type { SessionSize, StoreCheck, StoreMaintenance } from "../../core/ports/store-maintenance.ts";
import { assertHolds, assertMeasured, assertPin } from "../../core/store/assert-maintenance-arguments.ts";
import { type Database, NEWEST_VERSION } from "./database.ts";
import { pendingSplit, plainTables, splitOnline } from "./partitions/split-online.ts";
import { deleteStatements } from "./sessions.ts";
import type { StatementContext, TableName } from "./statement-context.ts";

interface MeasuredRow {
  readonly key: string;
  readonly id: string;
  readonly version: string;
  readonly idle_ms: string;
  readonly bytes: string;
  readonly is_pinned: boolean;
}

interface CountedRow {
  readonly id: string | null;
  readonly version: string;
  readonly records: string;
}

const EVERY_TABLE: readonly TableName[] = [
  "sessions",
  "records",
  "record_terms",
  "blobs",
  "locks",
  "checkpoints",
  "saved_states",
];

/** At most so many problems are listed. */
const MOST_PROBLEMS = 100;

export function postgresMaintenance({ database, table }: StatementContext, schema: string): StoreMaintenance {
  const statements = maintenanceStatements(table);
  const deletion = deleteStatements(table);

  return {
    async pin(sessionId, isPinned) {
      assertPin(sessionId, isPinned);
      return (await database.write(statements.pin, [sessionId, isPinned])).length > 0;
    },
    measure: () => measure(database, statements.measure),
    async holds(sessionKey, text) {
      assertHolds(sessionKey, text);
      return (await database.read(statements.holds, [sessionKey, text])).length > 0;
    },
    async remove(session) {
      assertMeasured(session);
      const { key, version } = session;
      return database.transaction(async (run) => {
        const [row] = await run<{ readonly key: string }>(statements.removeSession, [key, version]);
        if (row === undefined) return false;
        await deletion.deleteRest(run, row.key);
        return true;
      });
    },
    async check() {
      const pending = pendingSplit(await database.alone((client) => plainTables(client, schema)));
      const sessions = await measure(database, statements.measure);
      const rows = await database.read<CountedRow>(statements.counts, [MOST_PROBLEMS]);
      const [{ records = "0" } = {}] = await database.read<{ records?: string }>(statements.records, []);
      return {
        schemaVersion: NEWEST_VERSION,
        sessions: sessions.length,
        records: Number(records),
        bytes: sessions.reduce((sum, { bytes }) => sum + bytes, 0),
        pending: pending === undefined ? [] : [pending],
        problems: rows.map(problemOf),
      } satisfies StoreCheck;
    },
    async migrate({ onProgress = () => {} } = {}) {
      const fromVersion = await database.versionBefore();
      const count = NEWEST_VERSION - fromVersion;
      const steps = Array.from({ length: count }, (_, index) => `schema ${fromVersion + index + 1}`);
      const split = await database.alone((client) => splitOnline({ client, schema, onProgress }));
      return { fromVersion, toVersion: NEWEST_VERSION, steps: [...steps, ...split] };
    },
    async vacuum() {
      await database.alone(async (client) => {
        for (const name of EVERY_TABLE) await client.query(`VACUUM (ANALYZE) ${table(name)}`);
      });
    },
  };
}

async function measure(
  database: Database,
  statement: { readonly name: string; readonly text: string },
): Promise<readonly SessionSize[]> {
  const rows = await database.read<MeasuredRow>(statement, []);
  return rows.map((row) => ({
    key: Number(row.key),
    id: row.id,
    version: Number(row.version),
    idleMs: Number(row.idle_ms),
    bytes: Number(row.bytes),
    isPinned: row.is_pinned,
  }));
}

function problemOf({ id, version, records }: CountedRow): string {
  if (id === null) return `${records} records belong to no session`;
  return `the session ${JSON.stringify(id)} has ${records} records, and its entry says ${version}`;
}

function maintenanceStatements(table: StatementContext["table"]) {
  const sessions = table("sessions");
  // octet_length reads the size from the row's header, not the whole body
  const bytesOf = (name: TableName, column: string) =>
    `LEFT JOIN (SELECT session_key, sum(octet_length(${column})) AS bytes FROM ${table(name)} GROUP BY session_key) AS ${name}
      ON ${name}.session_key = session.key`;
  return {
    pin: { name: "pin", text: `UPDATE ${sessions} SET is_pinned = $2 WHERE id = $1 RETURNING 1` },
    measure: {
      name: "measure",
      text: `
        SELECT session.key, session.id, session.version, session.is_pinned,
          greatest(0, floor(extract(epoch FROM clock_timestamp() - session.updated_at) * 1000))::bigint AS idle_ms,
          coalesce(records.bytes, 0) + coalesce(blobs.bytes, 0) + coalesce(checkpoints.bytes, 0)
            + coalesce(saved_states.bytes, 0) AS bytes
        FROM ${sessions} AS session
        ${bytesOf("records", "body")} ${bytesOf("blobs", "bytes")} ${bytesOf("checkpoints", "body")}
        ${bytesOf("saved_states", "body")}
        ORDER BY session.updated_at DESC, session.key DESC`,
    },
    holds: {
      name: "holds",
      text: `SELECT 1 FROM ${table("records")} WHERE session_key = $1 AND strpos(body, $2) > 0 LIMIT 1`,
    },
    removeSession: {
      name: "remove-session",
      text: `DELETE FROM ${sessions} WHERE key = $1 AND version = $2 AND NOT is_pinned RETURNING key`,
    },
    records: { name: "count-records", text: `SELECT count(*) AS records FROM ${table("records")}` },
    counts: {
      name: "count-sessions",
      text: `
        SELECT session.id, coalesce(session.version, 0) AS version, coalesce(counted.records, 0) AS records
        FROM ${sessions} AS session FULL JOIN (
          SELECT session_key, count(*) AS records FROM ${table("records")} GROUP BY session_key
        ) AS counted ON counted.session_key = session.key
        WHERE coalesce(session.version, -1) <> coalesce(counted.records, 0) LIMIT $1`,
    },
  };
}
