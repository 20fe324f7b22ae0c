import type { Store } from "../../core/ports/store.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { beginningId, isDistinctive } from "./fingerprints.ts";
import { type IncomingRequest, keysOf } from "./incoming-request.ts";
import { branchId } from "./scope.ts";

export interface NewSessionPorts {
  readonly store: Store;
  /** The sessions that were compared with the request. */
  readonly compared: ReadonlySet<string>;
}

export type NewSessionId = { readonly type: "free" | "taken"; readonly id: string };

/**
 * Chooses the id of a new session: the scope's own id if that is free, else one made from the messages up to where the conversation diverges
 * from others, so that every gateway chooses the same. An id of a session that was not compared with the request is returned as "taken":
 * another gateway may have just made that session for this very request.
 */
export async function newSessionId(
  incoming: IncomingRequest,
  shared: number,
  ports: NewSessionPorts,
): Promise<NewSessionId> {
  const ids = wantedIds(incoming, shared);
  for (;;) {
    const id = ids.next().value;
    const stored = await ports.store.find(id);
    if (stored === undefined || stored.version === 0) return { type: "free", id };
    if (!ports.compared.has(id)) return { type: "taken", id };
  }
}

function* wantedIds({ scope, fingerprints }: IncomingRequest, shared: number): Generator<string, never> {
  if (scope !== undefined) yield scope.id;
  for (let length = shared + 1; length <= fingerprints.length; length++) {
    yield branchId(scope, beginningId(fingerprints.slice(0, length)));
  }
  for (let again = 1; ; again++) yield branchId(scope, beginningId([...fingerprints, `again ${again}`]));
}

/** Where a request diverges from a log. */
export interface Divergence {
  /** How many messages the request and the log begin with in common. */
  readonly shared: number;
  readonly store: Store;
}

/** Limits of the store search for the conversation that a request continues: how many of its newest messages are looked up, and how many records are read. */
export const CONTINUED_SEARCH = { messages: 8, records: 40 };

/** The version of the rewound branch that a request continues; undefined where it continues none. */
export async function rewoundVersion(
  incoming: IncomingRequest,
  { id, rewoundBranches }: Conversation,
  divergence: Divergence,
): Promise<number | undefined> {
  const known = rewoundBranches.findLast(
    ({ fingerprints }) =>
      fingerprints.length > divergence.shared &&
      fingerprints.every((each, index) => each === incoming.fingerprints[index]),
  );
  return known?.version ?? storedRewoundVersion(incoming, id, divergence);
}

/**
 * Finds in the store a branch that was rewound by another gateway, or before the session was closed: the newest record of a message that the
 * request has and the log no longer has. Only distinctive messages are searched for.
 */
async function storedRewoundVersion(
  incoming: IncomingRequest,
  sessionId: string,
  { shared, store }: Divergence,
): Promise<number | undefined> {
  const places = incoming.messages
    .map((_, index) => index)
    .slice(Math.max(shared, incoming.messages.length - CONTINUED_SEARCH.messages));
  const keys = places.flatMap((index) =>
    isDistinctiveAt(incoming, index) ? [incoming.fingerprints[index] ?? ""] : [],
  );
  const stored = keys.length === 0 ? undefined : await store.find(sessionId);
  if (stored === undefined) return undefined;
  const found = await store.search(keys, { sessionKey: stored.key, limit: CONTINUED_SEARCH.records });
  return found.length === 0 ? undefined : Math.max(...found.map(({ version }) => version));
}

function isDistinctiveAt(incoming: IncomingRequest, index: number): boolean {
  const message = incoming.messages[index];
  return message !== undefined && isDistinctive({ ...message, keys: keysOf(incoming, index) });
}
