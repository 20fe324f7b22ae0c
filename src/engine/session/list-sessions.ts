import { integrationOf } from "../../core/ports/integration-ids.ts";
import type { ListSessionsOptions, Store, StoredSession } from "../../core/ports/store.ts";

/** A store lists so many sessions where nobody says how many. */
const DEFAULT_LIMIT = 100;

/** The sessions of engines in a store, those written to last first. What integrations keep beside them is no session, and does not count. */
export async function listSessions(
  store: Pick<Store, "list">,
  { limit = DEFAULT_LIMIT }: ListSessionsOptions = {},
): Promise<readonly StoredSession[]> {
  for (let asked = limit; ; asked *= 2) {
    const listed = await store.list({ limit: asked });
    const sessions = listed.filter(({ id }) => integrationOf(id) === undefined);
    if (sessions.length >= limit || listed.length < asked) return sessions.slice(0, limit);
  }
}
