/** Finds sessions by the keys of their messages; only what this gateway has seen lately. */
export interface SessionIndex {
  add(sessionId: string, keys: readonly string[]): void;
  /** The sessions that have a message with this key, the one that was added last first. */
  find(key: string): readonly string[];
}

/** Sessions whose keys were dropped are found by the store. */
const MOST_KEYS = 50_000;
/** Messages such as "go on" occur in every conversation. */
const MOST_SESSIONS_PER_KEY = 8;

export function createSessionIndex(): SessionIndex {
  const sessionsByKey = new Map<string, readonly string[]>();
  return {
    add: (sessionId, keys) => {
      for (const key of keys) {
        const known = sessionsByKey.get(key) ?? [];
        if (known[0] === sessionId) continue;
        const others = known.filter((id) => id !== sessionId);
        sessionsByKey.set(key, [sessionId, ...others].slice(0, MOST_SESSIONS_PER_KEY));
      }
      // The keys that were added first are dropped first.
      for (const key of sessionsByKey.keys()) {
        if (sessionsByKey.size <= MOST_KEYS) break;
        sessionsByKey.delete(key);
      }
    },
    find: (key) => sessionsByKey.get(key) ?? [],
  };
}
