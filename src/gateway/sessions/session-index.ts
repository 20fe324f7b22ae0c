/** Finds sessions in memory by the keys of their messages. It only holds keys that this gateway added lately; the store has all of them. */
export interface SessionIndex {
  add(sessionId: string, keys: readonly string[]): void;
  /** The sessions that have a message with this key, the one that was added last first. */
  find(key: string): readonly string[];
}

/** Beyond this number the oldest keys are dropped: their sessions are still found by the store. */
const MOST_KEYS = 50_000;
/** The newest sessions that are kept for one key: messages such as "go on" occur in every conversation. */
const MOST_SESSIONS_PER_KEY = 8;

export function createSessionIndex(): SessionIndex {
  const sessionsByKey = new Map<string, readonly string[]>();
  /** One iterator for all deletions: a new one would first step over the slots of all deleted keys. */
  let oldest = sessionsByKey.keys();

  function dropOldest(): void {
    const { value: key, done } = oldest.next();
    if (done === true) oldest = sessionsByKey.keys();
    else sessionsByKey.delete(key);
  }

  return {
    add: (sessionId, keys) => {
      for (const key of keys) {
        const sessions = sessionsByKey.get(key) ?? [];
        if (sessions[0] === sessionId) continue;
        const others = sessions.filter((id) => id !== sessionId);
        sessionsByKey.set(key, [sessionId, ...others].slice(0, MOST_SESSIONS_PER_KEY));
      }
      // The keys that were added first are dropped first.
      while (sessionsByKey.size > MOST_KEYS) dropOldest();
    },
    find: (key) => sessionsByKey.get(key) ?? [],
  };
}
