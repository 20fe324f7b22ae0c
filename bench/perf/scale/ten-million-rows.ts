/** What an append costs in a PostgreSQL that holds ten million rows, beside an empty one. The rows are made in the server. */
import { randomUUID } from "node:crypto";
import { postgresStore } from "palimpsest/stores/postgres";
import pg from "pg";
import { kilobyteMessages } from "../stores/kilobyte-messages.ts";
import { findPostgres } from "../stores/postgres-server.ts";
import { milliseconds, quantile, ratio, row, timed } from "../stores/times.ts";
import { recordsOf } from "./recorded-appends.ts";

const RECORDS_PER_SESSION = 1_000;
/** `npm run bench -- scale --full` makes ten million, and takes some minutes more. */
const SESSIONS = process.argv.includes("--full") ? 10_000 : 1_000;
const APPENDS = 2_000;

export async function benchTenMillionRows(): Promise<void> {
  const server = await findPostgres();
  if (server === undefined) return console.log("\nNo PostgreSQL can be started here: it is not measured.");
  const { connectionString } = server;
  const schemas = { full: `bench_${randomUUID()}`, empty: `bench_${randomUUID()}` };
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const stores = Object.values(schemas).map((schema) => postgresStore({ connectionString, schema }));
    for (const store of stores) await store.list({ limit: 1 });
    const [makeMs] = await timed(() => makeRows(client, schemas.full));
    const bytes = await sizeOf(client, schemas.full);
    const rows = SESSIONS * RECORDS_PER_SESSION;
    console.log(
      `\nAppends of one message of 1 KB to sessions all over a PostgreSQL with ${rows} records and as many rows of terms (${(bytes / 1e9).toFixed(1)} GB, made in ${(makeMs / 1_000).toFixed(0)} s), and to an empty one, in turns; times in ms`,
    );
    const [full, empty] = await appendInTurns(stores);
    console.log(row("", "p50", "p90", "p99", "max"));
    const shares = [0.5, 0.9, 0.99, 1];
    console.log(row("empty", ...shares.map((share) => milliseconds(quantile(empty, share)))));
    console.log(row(`${rows} rows`, ...shares.map((share) => milliseconds(quantile(full, share)))));
    console.log(row("  of empty", ...shares.map((share) => ratio(quantile(full, share) / quantile(empty, share)))));
    for (const store of stores) await store.close();
  } finally {
    for (const schema of Object.values(schemas)) await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await client.end();
    await server.remove();
  }
}

/** As the store would have written them, checksums too. The indexes of terms are built in the end, as a restore does. */
async function makeRows(client: pg.Client, schema: string): Promise<void> {
  const run = (sql: string) => client.query(sql);
  await run(`SET search_path TO "${schema}"; SET synchronous_commit TO off; SET maintenance_work_mem TO '512MB'`);
  await run(`
    INSERT INTO sessions (id, version, created_at, updated_at, checksum)
    SELECT 'session ' || number, ${RECORDS_PER_SESSION}, now(), now(),
      sha256(convert_to(concat_ws(' ', ${RECORDS_PER_SESSION}, 0, 'session ' || number), 'UTF8'))
    FROM generate_series(1, ${SESSIONS}) AS number`);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE '%USING gin%'
     AND indexdef LIKE '%ON ONLY%'`,
    [schema],
  );
  for (const { name } of indexes) await run(`DROP INDEX "${name}"`);
  await run(`
    INSERT INTO records (session_key, version, at, is_rewrite, body, checksum)
    SELECT session_key, version, at, false, body,
      sha256(convert_to(concat_ws(' ', session_key, version, at, 'false', body), 'UTF8'))
    FROM (
      SELECT key AS session_key, number AS version, 1700000000000 + number AS at,
        format('{"type":"message","message":{"role":"user","content":"word%s number %s of %s"}}', number % 5000, number, key) AS body
      FROM sessions, generate_series(1, ${RECORDS_PER_SESSION}) AS number
    ) AS made`);
  await run(`
    INSERT INTO record_terms (session_key, version, lexemes)
    SELECT key, number, format('''session %s'' ''word%s'' ''number'' ''n%s''', key, number % 5000, number)::tsvector
    FROM sessions, generate_series(1, ${RECORDS_PER_SESSION}) AS number`);
  for (const { definition } of indexes) await run(definition.replace(" ON ONLY ", " ON "));
  for (const table of ["sessions", "records", "record_terms"]) await run(`VACUUM (ANALYZE) ${table}`);
  await run("CHECKPOINT");
}

async function sizeOf(client: pg.Client, schema: string): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind = 'r'`,
    [`"${schema}"`],
  );
  return Number(rows[0]?.bytes);
}

/** Each time another session, which both have. */
async function appendInTurns(stores: readonly ReturnType<typeof postgresStore>[]) {
  const records = await recordsOf(kilobyteMessages(100));
  const times = stores.map((): number[] => []);
  for (let turn = 0; turn < APPENDS; turn++) {
    const id = `session ${1 + ((turn * 7_919) % SESSIONS)}`;
    const record = records[turn % records.length];
    if (record === undefined) continue;
    // who comes first pays for what the machine did before: each in turn
    const order = turn % 2 === 0 ? [0, 1] : [1, 0];
    for (const index of order) {
      const store = stores[index];
      if (store === undefined) continue;
      const { key } = await store.open(id);
      times[index]?.push((await timed(() => store.append(key, [record])))[0]);
    }
  }
  return [times[0] ?? [], times[1] ?? []] as const;
}
