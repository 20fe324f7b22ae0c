import { PalimpsestError } from "../../../core/errors.ts";
import type { Store, StoredSession } from "../../../core/ports/store.ts";
import type { SessionAccount } from "../../../core/statement/sum-statement.ts";
import { parseRecord } from "../journal/log-record.ts";
import type { SessionEvent } from "../report.ts";

/** What the events of a session tell for its statement. */
export function accountOf(events: readonly SessionEvent[]): SessionAccount {
  const requests = events.filter((event) => event.type === "request");
  const condensingUsd = events.reduce((sum, event) => sum + condensingCost(event), 0);
  return { requests, condensingUsd };
}

function condensingCost(event: SessionEvent): number {
  if (event.type !== "condense_context" && event.type !== "condense_failed") return 0;
  // A stored event may hold anything.
  return typeof event.cost === "number" && event.cost > 0 && Number.isFinite(event.cost) ? event.cost : 0;
}

const PAGE = 2_000;
const EVENT_START = '{"type":"event"';

/** The same from a store, without opening the session: of its records, only the events are read as JSON. Undefined where it was deleted. */
export async function readAccount(store: Store, { key }: StoredSession): Promise<SessionAccount | undefined> {
  const events: SessionEvent[] = [];
  try {
    for (let afterVersion = 0; ; afterVersion += PAGE) {
      const page = await store.read(key, { afterVersion, limit: PAGE });
      for (const { body } of page) {
        const record = body.startsWith(EVENT_START) ? parseRecord(body) : undefined;
        if (record?.type === "event") events.push(record.event);
      }
      if (page.length < PAGE) return accountOf(events);
    }
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "not-found") return undefined;
    throw error;
  }
}
