import type { FoundRecord, SearchOptions } from "../../core/ports/store.ts";
import type { Database } from "./open-database.ts";
import { integerOf, textOf } from "./row.ts";

// One look-up per term. Rowids begin with the session key, so that their order is that of sessions, then of versions.
const select = (condition: string) => `
  SELECT sessions.key, sessions.id, found.record & 0xffffffff AS version, found.matches FROM (
    SELECT record_terms.rowid AS record, count(*) AS matches
    FROM json_each(:asked) AS asked CROSS JOIN record_terms ON record_terms MATCH asked.value ${condition}
    GROUP BY record ORDER BY matches DESC, record DESC LIMIT :limit
  ) AS found JOIN sessions ON sessions.key = found.record >> 32
  ORDER BY found.matches DESC, found.record DESC`;
const SEARCH_ALL = select("");
const SEARCH_SESSION = select("AND record_terms.rowid BETWEEN :key << 32 AND :key << 32 | 0xffffffff");

/** The records with any of the terms, those with the most terms first. */
export function searchRecords(
  database: Database,
  terms: readonly string[],
  { sessionKey, limit = -1 }: SearchOptions,
): readonly FoundRecord[] {
  // FTS5 takes a quoted token literally, and an encoded term has no quotes.
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

/** A private-use character, which the tokenizer takes for a letter. */
const ESCAPE = "\ue000";

// The tokenizer would split a term at white space, quotes and control characters, and fold capitals to lower case.
const UNSAFE = /[\0-"'A-Z\x7f\ue000]|\p{Surrogate}/gu;
/** Without the flag `g`, for tests. */
const ANY_UNSAFE = new RegExp(UNSAFE.source, "u");

/**
 * Encodes a term as one token of the full-text index; different terms have different tokens. The index's `ascii` tokenizer
 * takes all characters beyond ASCII for letters, and the schema names the ASCII signs that it does; all others are escaped.
 */
export function encodeTerm(term: string): string {
  return term.replace(UNSAFE, (character) => `${ESCAPE}${character.charCodeAt(0).toString(16)}${ESCAPE}`);
}

/** Many terms as one text of tokens. Mostly no term needs an escape, which a single test of all of them finds. */
export function encodeTermList(terms: readonly string[]): string {
  const isSafe = !ANY_UNSAFE.test(terms.join("-"));
  return (isSafe ? terms : terms.map(encodeTerm)).join(" ");
}
