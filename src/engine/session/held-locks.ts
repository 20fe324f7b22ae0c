/** The locks that were taken here and not released yet: who takes one twice has it until it was released twice. */
export interface HeldLocks {
  take(lock: TakenLock): void;
  /** Whether the same holder took it more often; then it stays taken. */
  drop(lock: NamedLock): boolean;
  /** Someone took it from its holder. */
  forget(name: string): void;
}

interface NamedLock {
  readonly name: string;
  readonly holder: string;
}

interface TakenLock extends NamedLock {
  /** By the store's clock. */
  readonly at: number;
  readonly expiresAt: number;
}

export function createHeldLocks(): HeldLocks {
  const held = new Map<string, { readonly holder: string; readonly times: number; readonly expiresAt: number }>();
  return {
    take: ({ name, holder, at, expiresAt }) => {
      const known = held.get(name);
      // One that ran out may never be released.
      const isHeld = known?.holder === holder && known.expiresAt > at;
      held.set(name, { holder, times: isHeld ? known.times + 1 : 1, expiresAt });
    },
    drop: ({ name, holder }) => {
      const known = held.get(name);
      if (known?.holder !== holder) return false;
      if (known.times === 1) held.delete(name);
      else held.set(name, { ...known, times: known.times - 1 });
      return known.times > 1;
    },
    forget: (name) => held.delete(name),
  };
}
