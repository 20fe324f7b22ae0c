import type { Store } from "../../core/ports/store.ts";
import { assertSearch } from "../../core/store/assert-store-arguments.ts";
import { termQueries } from "./lexemes.ts";
import type { StatementContext } from "./statement-context.ts";

interface FoundRow {
  readonly session_key: string;
  readonly session_id: string;
  readonly version: string;
  readonly matches: number;
}

export function searchOperation({ database, table }: StatementContext): Pick<Store, "search"> {
  // One look into the index for each term: a record turns up once for each that it holds.
  const search = {
    name: "search",
    text: `
      SELECT found.*, sessions.id AS session_id FROM (
        SELECT session_key, version, count(*)::integer AS matches
        FROM unnest($1::text[]) AS wanted JOIN ${table("record_terms")} ON lexemes @@ wanted::tsquery
        GROUP BY session_key, version
        ORDER BY matches DESC, session_key DESC, version DESC
        LIMIT $2
      ) AS found JOIN ${table("sessions")} AS sessions ON sessions.key = found.session_key
      ORDER BY found.matches DESC, found.session_key DESC, found.version DESC`,
  };

  return {
    async search(terms, options) {
      assertSearch(terms, options);
      const queries = termQueries(terms, options?.sessionKey);
      const rows = await database.read<FoundRow>(search, [queries, options?.limit]);
      return rows.map(({ session_key, session_id, version, matches }) => ({
        sessionKey: Number(session_key),
        sessionId: session_id,
        version: Number(version),
        matches,
      }));
    },
  };
}
