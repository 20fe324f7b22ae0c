/** Finds sessions by the keys of their messages; only what this gateway has seen lately. */
export interface ConversationIndex {
  add(sessionId: string, keys: readonly string[]): void;
  /** The sessions that have a message with one of these keys, those with the first of them first. */
  find(keys: readonly string[], isWanted: (sessionId: string) => boolean): readonly string[];
}

const MOST_KEYS = 300_000;
/** Words such as "go on" are said in every conversation. */
const MOST_SESSIONS_PER_KEY = 8;
const MOST_FOUND = 4;

export function createConversationIndex(): ConversationIndex {
  const sessionsByKey = new Map<string, readonly string[]>();
  return {
    add: (sessionId, keys) => {
      for (const key of keys) {
        const known = sessionsByKey.get(key) ?? [];
        if (known[0] === sessionId) continue;
        const others = known.filter((id) => id !== sessionId);
        sessionsByKey.set(key, [sessionId, ...others].slice(0, MOST_SESSIONS_PER_KEY));
      }
      // Those that came first go first.
      for (const key of sessionsByKey.keys()) {
        if (sessionsByKey.size <= MOST_KEYS) break;
        sessionsByKey.delete(key);
      }
    },
    find: (keys, isWanted) => {
      const found = new Set<string>();
      for (const key of keys) {
        for (const sessionId of sessionsByKey.get(key) ?? []) if (isWanted(sessionId)) found.add(sessionId);
        if (found.size >= MOST_FOUND) break;
      }
      return [...found].slice(0, MOST_FOUND);
    },
  };
}
