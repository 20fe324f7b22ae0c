import type { AppendOptions, AppendOutcome, NewRecord, Store } from "../../core/ports/store.ts";
import { assertAppend } from "../../core/store/assert-store-arguments.ts";
import { indexParts } from "./lexemes.ts";
import { millisecondsSql, type StatementContext } from "./statement-context.ts";
import { headChecksumSql, RECORD_CHECKSUM_SQL, verifyHead } from "./verify-records.ts";

interface VersionsRow {
  readonly version: string;
  readonly rewrite_version: string;
}

interface HeadRow extends VersionsRow {
  readonly id: string;
  readonly checksum: string;
}

interface Versions {
  readonly version: number;
  readonly rewriteVersion: number;
}

export function appendOperation({ database, table }: StatementContext): Pick<Store, "append"> {
  const append = { name: "append", text: appendSql(table) };
  const versions = {
    name: "versions",
    text: `SELECT id, version, rewrite_version, encode(checksum, 'hex') AS checksum FROM ${table("sessions")} WHERE key = $1`,
  };

  async function findVersions(sessionKey: number): Promise<Versions | undefined> {
    const [row] = await database.read<HeadRow>(versions, [sessionKey]);
    if (row === undefined) return undefined;
    const current = toVersions(row);
    verifyHead({ ...row, ...current });
    return current;
  }

  return {
    async append(sessionKey, records, options) {
      assertAppend(sessionKey, records, options);
      if (records.length === 0) return appendNothing(await findVersions(sessionKey), options);
      const [row] = await database.write<VersionsRow>(append, appendValues(sessionKey, records, options));
      if (row !== undefined) return { type: "appended", ...toVersions(row) };
      const current = await findVersions(sessionKey);
      return current === undefined ? { type: "missing" } : { type: "conflict", ...current };
    },
  };
}

/**
 * One statement, so that an append is one round trip and one commit. It updates the session's row first, whose lock puts appends to
 * one session in order, so that the conditions are tested on the state after the append before.
 */
function appendSql(table: StatementContext["table"]): string {
  const raisedRewriteVersion = "CASE WHEN $3::bigint = 0 THEN rewrite_version ELSE version + $3::bigint END";
  return `
    WITH raised AS (
      UPDATE ${table("sessions")} SET
        version = version + $2,
        rewrite_version = ${raisedRewriteVersion},
        updated_at = greatest(updated_at, clock_timestamp()),
        checksum = ${headChecksumSql({ id: "id", version: "version + $2::bigint", rewriteVersion: raisedRewriteVersion })}
      WHERE key = $1
        AND checksum = ${headChecksumSql({ id: "id", version: "version", rewriteVersion: "rewrite_version" })}
        AND version = coalesce($4::bigint, version)
        AND rewrite_version = coalesce($5::bigint, rewrite_version)
      RETURNING key AS session_key, version - $2 AS base, version, rewrite_version,
        ${millisecondsSql("updated_at")} AS at
    ), added AS (
      SELECT session_key, base + place AS version, at, is_rewrite, body
      FROM raised, unnest($6::text[], $7::boolean[]) WITH ORDINALITY AS new (body, is_rewrite, place)
    ), stored AS (
      INSERT INTO ${table("records")} (session_key, version, at, is_rewrite, body, checksum)
      SELECT session_key, version, at, is_rewrite, body, ${RECORD_CHECKSUM_SQL} FROM added
    ), indexed AS (
      INSERT INTO ${table("record_terms")} (session_key, version, lexemes)
      SELECT session_key, base + place, lexemes::tsvector
      FROM raised, unnest($8::bigint[], $9::text[]) AS part (place, lexemes)
    ), kept AS (
      INSERT INTO ${table("blobs")} (session_key, name, bytes)
      SELECT session_key, name, bytes FROM raised, unnest($10::text[], $11::bytea[]) AS blob (name, bytes)
      ON CONFLICT DO NOTHING
    )
    SELECT version, rewrite_version FROM raised`;
}

function appendValues(
  sessionKey: number,
  records: readonly NewRecord[],
  options: AppendOptions | undefined,
): readonly unknown[] {
  const parts = records.flatMap(({ terms = [] }, index) =>
    indexParts(sessionKey, terms).map((lexemes) => ({ place: index + 1, lexemes })),
  );
  const blobs = records.flatMap(({ blobs = [] }) => blobs);
  return [
    sessionKey,
    records.length,
    records.findLastIndex(({ isRewrite }) => isRewrite === true) + 1,
    options?.expectedVersion,
    options?.expectedRewriteVersion,
    records.map(({ body }) => body),
    records.map(({ isRewrite }) => isRewrite === true),
    parts.map(({ place }) => place),
    parts.map(({ lexemes }) => lexemes),
    blobs.map(({ name }) => name),
    blobs.map(({ bytes }) => Buffer.from(bytes)),
  ];
}

function appendNothing(current: Versions | undefined, options: AppendOptions = {}): AppendOutcome {
  if (current === undefined) return { type: "missing" };
  const { expectedVersion = current.version, expectedRewriteVersion = current.rewriteVersion } = options;
  const isExpected = expectedVersion === current.version && expectedRewriteVersion === current.rewriteVersion;
  return { type: isExpected ? "appended" : "conflict", ...current };
}

function toVersions(row: VersionsRow): Versions {
  return { version: Number(row.version), rewriteVersion: Number(row.rewrite_version) };
}
