import { PalimpsestError } from "../../core/errors.ts";
import { createMemorySession, type MemorySession } from "./memory-session.ts";

/** All sessions, by id and by key. */
export interface MemorySessions {
  open(sessionId: string, at: number): MemorySession;
  find(sessionId: string): MemorySession | undefined;
  /** By key. */
  at(sessionKey: number): MemorySession | undefined;
  /** By key; throws "not-found" where there is none. */
  assert(sessionKey: number): MemorySession;
  /** Those written to last come last. */
  all(): readonly MemorySession[];
  /** Makes a session the one that was written to last. */
  touch(session: MemorySession): void;
  delete(session: MemorySession): void;
}

export function createMemorySessions(): MemorySessions {
  const byId = new Map<string, MemorySession>();
  const byKey = new Map<number, MemorySession>();
  let newestKey = 0;

  return {
    open(sessionId, at) {
      const existing = byId.get(sessionId);
      if (existing !== undefined) return existing;
      newestKey++;
      const session = createMemorySession(newestKey, sessionId, at);
      byId.set(sessionId, session);
      byKey.set(session.key, session);
      return session;
    },
    find: (sessionId) => byId.get(sessionId),
    at: (sessionKey) => byKey.get(sessionKey),
    assert(sessionKey) {
      const session = byKey.get(sessionKey);
      if (session !== undefined) return session;
      throw new PalimpsestError(
        "not-found",
        `No session has the key ${sessionKey}: it was deleted. Open it anew by its id.`,
      );
    },
    all: () => [...byId.values()],
    touch(session) {
      byId.delete(session.id);
      byId.set(session.id, session);
    },
    delete(session) {
      byId.delete(session.id);
      byKey.delete(session.key);
    },
  };
}
