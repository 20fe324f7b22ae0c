import { assert, assertNumber, assertObject } from "../assert.ts";
import type { SessionSize } from "../ports/store-maintenance.ts";

/** Which sessions a store keeps; the others may be removed. */
export interface Retention {
  /** Keep sessions that were written to within this time. @default sessions of any age */
  readonly keepMs?: number | undefined;
  /** Keep so many bytes of sessions, those written to most recently first. @default any number of bytes */
  readonly keepBytes?: number | undefined;
}

export interface RetentionPlan {
  /** The sessions that may go, the one written to longest ago first. */
  readonly removable: readonly SessionSize[];
  /** Why each of them may go, by key. */
  readonly reasons: ReadonlyMap<number, "age" | "size">;
}

/** `keepBytes` removes no session that was idle for less than this: an agent may work that long between two requests. */
export const SETTLED_MS = 60 * 60 * 1_000;

/** Throws "invalid-argument" unless at least one limit is given, and all given ones are in range. */
export function assertRetention(name: string, retention: Retention): void {
  assertObject(name, retention);
  const { keepMs, keepBytes } = retention;
  assert(keepMs !== undefined || keepBytes !== undefined, name, retention, "{ keepMs } or { keepBytes }, or both");
  if (keepMs !== undefined) assertNumber(`${name}.keepMs`, keepMs, SETTLED_MS);
  if (keepBytes !== undefined) assertNumber(`${name}.keepBytes`, keepBytes, 1);
}

/**
 * Chooses the sessions that a retention removes: those that are too old, then the oldest others until the rest is small enough. Pinned
 * sessions are never removed, and count as kept bytes.
 */
export function planRetention(sessions: readonly SessionSize[], retention: Retention): RetentionPlan {
  const { keepMs = Number.POSITIVE_INFINITY, keepBytes = Number.POSITIVE_INFINITY } = retention;
  const reasons = new Map<number, "age" | "size">();
  const oldestFirst = sessions.toSorted((one, other) => other.idleMs - one.idleMs);
  const removable: SessionSize[] = [];
  let keptBytes = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const session of oldestFirst) {
    const isOld = session.idleMs > keepMs;
    const isTooMuch = keptBytes > keepBytes && session.idleMs > SETTLED_MS;
    if (session.isPinned || !(isOld || isTooMuch)) continue;
    reasons.set(session.key, isOld ? "age" : "size");
    removable.push(session);
    keptBytes -= session.bytes;
  }
  return { removable, reasons };
}
