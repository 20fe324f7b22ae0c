import type { FoundRecord, SearchOptions } from "../../core/ports/store.ts";
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

/** A private character, which our tokenizer takes for a letter. */
const ESCAPE = "\ue000";

// White space, quotes and control characters would part a term, and capitals would be made small.
const PARTING = /[\0-"'A-Z\x7f\ue000]|\p{Surrogate}/gu;
/** The same, to look whether there is any. */
const ANY_PARTING = new RegExp(PARTING.source, "u");

/**
 * The term as one token of the full-text index, another one for every other term. The index's `ascii` tokenizer leaves
 * all beyond ASCII alone, and the schema names the signs that it takes for letters; what is left is escaped.
 */
export function encodeTerm(term: string): string {
  return term.replace(PARTING, (character) => `${ESCAPE}${character.charCodeAt(0).toString(16)}${ESCAPE}`);
}

/** Many terms as one text of tokens. Mostly none of them needs an escape, and one look at all of them says so. */
export function encodeTermList(terms: readonly string[]): string {
  const mayStay = !ANY_PARTING.test(terms.join("-"));
  return (mayStay ? terms : terms.map(encodeTerm)).join(" ");
}
