import type { FoundRecord, SearchOptions } from "../../core/ports/store.ts";
import { encodeTerm } from "./encode-term.ts";
import type { Database } from "./open-database.ts";
import { integerOf, textOf } from "./row.ts";

// One look-up per term. As rowids start with the session key, their order is that of sessions, then of versions.
const select = (condition: string) => `
  SELECT sessions.key, sessions.id, found.record & 0xffffffff AS version, found.matches FROM (
    SELECT record_terms.rowid AS record, count(*) AS matches
    FROM json_each(:asked) AS asked CROSS JOIN record_terms ON record_terms MATCH asked.value ${condition}
    GROUP BY record ORDER BY matches DESC, record DESC LIMIT :limit
  ) AS found JOIN sessions ON sessions.key = found.record >> 32
  ORDER BY found.matches DESC, found.record DESC`;
const SEARCH_ALL = select("");
const SEARCH_SESSION = select("AND record_terms.rowid BETWEEN :key << 32 AND :key << 32 | 0xffffffff");

/** The records that hold any of the terms, best first. */
export function searchRecords(
  database: Database,
  terms: readonly string[],
  { sessionKey, limit = -1 }: SearchOptions,
): readonly FoundRecord[] {
  // A quoted token is data in FTS5's language, and an encoded term holds no quote.
  const asked = JSON.stringify([...new Set(terms)].map((term) => `"${encodeTerm(term)}"`));
  const rows =
    sessionKey === undefined
      ? database.statement(SEARCH_ALL).all({ asked, limit })
      : database.statement(SEARCH_SESSION).all({ asked, limit, key: sessionKey });
  return rows.map((row) => ({
    sessionKey: integerOf(row, "key", database.path),
    sessionId: textOf(row, "id", database.path),
    version: integerOf(row, "version", database.path),
    matches: integerOf(row, "matches", database.path),
  }));
}
