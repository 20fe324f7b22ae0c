import { assertNumber, assertObject } from "../../../core/assert.ts";
import { PalimpsestError } from "../../../core/errors.ts";
import type { Store, StoredSession } from "../../../core/ports/store.ts";
import type { SessionAccount } from "../../../core/statement/sum-statement.ts";
import { parseRecord } from "../journal/log-record.ts";
import type { SessionEvent } from "../report.ts";

/** Which requests a statement is about. */
export interface StatementPeriod {
  /** Only requests from this moment on, in milliseconds since the epoch. @default all */
  readonly since?: number | undefined;
}

/** A session's requests, and what condensing cost since a time, for its statement. @default since the beginning */
export function accountOf(events: readonly SessionEvent[], since = 0): SessionAccount {
  const requests = events.filter((event) => event.type === "request");
  const condensingUsd = events.reduce((sum, event) => (event.at >= since ? sum + condensingCost(event) : sum), 0);
  return { requests, condensingUsd };
}

function isOfAccount({ type }: SessionEvent): boolean {
  return type === "request" || type === "condense_context" || type === "condense_failed";
}

function condensingCost(event: SessionEvent): number {
  if (event.type !== "condense_context" && event.type !== "condense_failed") return 0;
  // A stored event may hold any value.
  return typeof event.cost === "number" && event.cost > 0 && Number.isFinite(event.cost) ? event.cost : 0;
}

const PAGE = 2_000;
const EVENT_START = '{"type":"event"';

/** Reads the account of a session from its store, without opening it. Undefined where the session was deleted. */
export async function readAccount(
  store: Pick<Store, "read">,
  session: StoredSession,
  since = 0,
): Promise<SessionAccount | undefined> {
  const read = await readAccountEvents(store, session);
  return read && accountOf(read.events, since);
}

/** The events that a session's statement is made of, up to a version. */
export interface AccountEvents {
  readonly session: StoredSession;
  readonly version: number;
  readonly events: readonly SessionEvent[];
}

/** Reads the account events of a session from its store, only those behind `known` where that is given. Undefined where the session was deleted. */
export async function readAccountEvents(
  store: Pick<Store, "read">,
  session: StoredSession,
  known?: AccountEvents,
): Promise<AccountEvents | undefined> {
  const { key, createdAt } = session;
  const isSame =
    known?.session.key === key && known.session.createdAt === createdAt && known.version <= session.version;
  const events: SessionEvent[] = isSame ? [...known.events] : [];
  let version = isSame ? known.version : 0;
  try {
    for (;;) {
      const page = await store.read(key, { afterVersion: version, limit: PAGE });
      for (const { body } of page) {
        const record = body.startsWith(EVENT_START) ? parseRecord(body) : undefined;
        if (record?.type === "event" && isOfAccount(record.event)) events.push(record.event);
      }
      version += page.length;
      if (page.length < PAGE) return { session, version, events };
    }
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "not-found") return undefined;
    throw error;
  }
}

export function assertPeriod(period: StatementPeriod): StatementPeriod {
  assertObject("options", period);
  if (period.since !== undefined) assertNumber("options.since", period.since);
  return period;
}
