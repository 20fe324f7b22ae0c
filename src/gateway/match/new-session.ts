import type { Store } from "../../core/ports/store.ts";
import type { Conversation } from "../sessions/session-pool.ts";
import { beginningId, isDistinctive } from "./fingerprints.ts";
import { type IncomingRequest, keysOf } from "./incoming-request.ts";
import { branchId } from "./scope.ts";

export interface NewSessionPorts {
  readonly store: Store;
  /** The sessions that were compared with the request. */
  readonly tried: ReadonlySet<string>;
}

export type NewSessionId = { readonly type: "free" | "taken"; readonly id: string };

/**
 * The id of a new session; that of the scope itself where it has none yet. It follows from what was said up to where the conversation
 * diverges from others, so that every gateway chooses the same. One that is taken, and was not looked at, is given too: another gateway
 * may have made it for this very request, a moment ago.
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
    if (!ports.tried.has(id)) return { type: "taken", id };
  }
}

function* wantedIds({ scope, fingerprints }: IncomingRequest, shared: number): Generator<string, never> {
  if (scope !== undefined) yield scope.id;
  for (let length = shared + 1; length <= fingerprints.length; length++) {
    yield branchId(scope, beginningId(fingerprints.slice(0, length)));
  }
  for (let again = 1; ; again++) yield branchId(scope, beginningId([...fingerprints, `again ${again}`]));
}

/** The place at which a request diverges from a log. */
export interface Divergence {
  readonly shared: number;
  readonly store: Store;
}

/** How many messages, from the newest back, the store is searched for, and how many records it may give. */
const [SEARCHED_MESSAGES, MOST_FOUND_RECORDS] = [8, 40];

/** The version of the rewound branch that the request continues; undefined where it continues none. */
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
 * The same for what was rewound by another gateway, or before the session was closed: the newest record of a message that the request
 * goes on with and the log no longer has. Only what is said once is looked for.
 */
async function storedRewoundVersion(
  incoming: IncomingRequest,
  sessionId: string,
  { shared, store }: Divergence,
): Promise<number | undefined> {
  const places = incoming.messages
    .map((_, index) => index)
    .slice(Math.max(shared, incoming.messages.length - SEARCHED_MESSAGES));
  const keys = places.flatMap((index) =>
    isDistinctiveAt(incoming, index) ? [incoming.fingerprints[index] ?? ""] : [],
  );
  const stored = keys.length === 0 ? undefined : await store.find(sessionId);
  if (stored === undefined) return undefined;
  const found = await store.search(keys, { sessionKey: stored.key, limit: MOST_FOUND_RECORDS });
  return found.length === 0 ? undefined : Math.max(...found.map(({ version }) => version));
}

function isDistinctiveAt(incoming: IncomingRequest, index: number): boolean {
  const message = incoming.messages[index];
  return message !== undefined && isDistinctive({ ...message, keys: keysOf(incoming, index) });
}
