import { assert, assertNumber, assertObject } from "../assert.ts";
import type { SessionSize } from "../ports/store-maintenance.ts";

/** What a store keeps; all else may be removed. */
export interface Retention {
  /** Sessions that were written to within this time. @default of any age */
  readonly keepMs?: number | undefined;
  /** As many bytes, the sessions written to last first. @default of any size */
  readonly keepBytes?: number | undefined;
}

export interface RetentionPlan {
  /** The sessions that may go, the one written to longest ago first. */
  readonly removable: readonly SessionSize[];
  /** Why each of them may go, by key. */
  readonly reasons: ReadonlyMap<number, "age" | "size">;
}

/** A session in use may stand still while its agent works: so long, no limit of size removes it. */
export const SETTLED_MS = 60 * 60 * 1_000;

/** Refuses a retention that names nothing, or what is no time and no size. */
export function assertRetention(name: string, retention: Retention): void {
  assertObject(name, retention);
  const { keepMs, keepBytes } = retention;
  assert(keepMs !== undefined || keepBytes !== undefined, name, retention, "{ keepMs } or { keepBytes }, or both");
  if (keepMs !== undefined) assertNumber(`${name}.keepMs`, keepMs, SETTLED_MS);
  if (keepBytes !== undefined) assertNumber(`${name}.keepBytes`, keepBytes, 1);
}

/**
 * Which sessions a retention removes: first those that are too old, then of the rest the oldest until what is left is small enough. Pinned
 * sessions count as kept bytes and are never among them.
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
