import { integrationOf } from "../../core/ports/integration-ids.ts";
import type { ListSessionsOptions, Store, StoredSession } from "../../core/ports/store.ts";

/** How many sessions are listed by default. */
const DEFAULT_LIMIT = 100;

/** The sessions of engines in a store, those written to last first. Records that integrations keep in the store are left out. */
export async function listSessions(
  store: Pick<Store, "list">,
  { limit = DEFAULT_LIMIT }: ListSessionsOptions = {},
): Promise<readonly StoredSession[]> {
  for (let count = limit; ; count *= 2) {
    const listed = await store.list({ limit: count });
    const sessions = listed.filter(({ id }) => integrationOf(id) === undefined);
    if (sessions.length >= limit || listed.length < count) return sessions.slice(0, limit);
  }
}
