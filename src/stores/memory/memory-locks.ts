import type { LockName, LockOutcome, LockRelease, LockRequest, StoredLock } from "../../core/ports/store.ts";

/** The locks of all sessions. */
export interface MemoryLocks {
  acquire(lock: LockRequest, at: number): LockOutcome;
  find(lock: LockName, at: number): StoredLock | undefined;
  release(lock: LockRelease, at: number): boolean;
  forget(sessionKey: number): void;
}

export function createMemoryLocks(): MemoryLocks {
  const locksOf = new Map<number, Map<string, StoredLock>>();
  const findHeld = ({ sessionKey, name }: LockName, at: number) => {
    const lock = locksOf.get(sessionKey)?.get(name);
    return lock !== undefined && lock.expiresAt > at ? lock : undefined;
  };

  return {
    find: findHeld,
    acquire(request, at) {
      const { sessionKey, name, holder, durationMs } = request;
      const current = findHeld(request, at);
      if (current !== undefined && current.holder !== holder) return { type: "held", ...current };
      const locks = locksOf.get(sessionKey) ?? new Map<string, StoredLock>();
      const expiresAt = at + durationMs;
      locksOf.set(sessionKey, locks.set(name, { holder, expiresAt }));
      return { type: "acquired", expiresAt };
    },
    release(lock, at) {
      const current = findHeld(lock, at);
      if (current === undefined || (lock.holder ?? current.holder) !== current.holder) return false;
      return locksOf.get(lock.sessionKey)?.delete(lock.name) ?? false;
    },
    forget(sessionKey) {
      locksOf.delete(sessionKey);
    },
  };
}
