import type { Store } from "../../core/ports/store.ts";
import type { Conversation } from "./desk.ts";
import { type Heard, keysOf } from "./heard.ts";
import { isTelling } from "./telling.ts";

/** Where a request parts from a log. */
export interface Parting {
  readonly shared: number;
  readonly store: Store;
}

/** How many messages, from the newest back, are looked for, and how many records are looked at. */
const [SEARCHED_MESSAGES, MOST_FOUND_RECORDS] = [8, 40];

/** Of what was rewound, and is continued now in spite of it. */
export async function setAsideVersion(
  heard: Heard,
  { id, setAside }: Conversation,
  parting: Parting,
): Promise<number | undefined> {
  const known = setAside.findLast(
    ({ fingerprints }) =>
      fingerprints.length > parting.shared && fingerprints.every((each, index) => each === heard.fingerprints[index]),
  );
  return known?.version ?? rewoundVersion(heard, id, parting);
}

/**
 * The same for what was rewound by another gateway, or before the session was closed: the newest record of a message that the request
 * goes on with and the log no longer has. Only what is said once is looked for.
 */
async function rewoundVersion(
  heard: Heard,
  sessionId: string,
  { shared, store }: Parting,
): Promise<number | undefined> {
  const places = heard.messages
    .map((_, index) => index)
    .slice(Math.max(shared, heard.messages.length - SEARCHED_MESSAGES));
  const keys = places.flatMap((index) => (isTellingAt(heard, index) ? [heard.fingerprints[index] ?? ""] : []));
  const stored = keys.length === 0 ? undefined : await store.find(sessionId);
  if (stored === undefined) return undefined;
  const found = await store.search(keys, { sessionKey: stored.key, limit: MOST_FOUND_RECORDS });
  return found.length === 0 ? undefined : Math.max(...found.map(({ version }) => version));
}

function isTellingAt(heard: Heard, index: number): boolean {
  const message = heard.messages[index];
  return message !== undefined && isTelling({ ...message, keys: keysOf(heard, index) });
}
