import { assertNumber } from "../../assert.ts";
import type { LayeredState } from "../layered-state.ts";

/** How long an entry without a time to live lives. */
export const DEFAULT_TTL_MS = 5 * 60_000;

interface ExpiringEntry {
  readonly at: number;
  readonly ttlMs: number;
}

/** Whether an entry has not expired. */
export function isLive({ at, ttlMs }: ExpiringEntry, now: number): boolean {
  return now - at < ttlMs;
}

/**
 * The state without expired short-term entries and observations; the same object where none has expired.
 * @example
 * ```ts
 * import { createInitialState, expire, remember } from "palimpsest/agent";
 * const state = remember(createInitialState("Fix the login"), { id: "s1", at: 0, content: "Port 7717.", ttlMs: 1_000 });
 * console.log(expire(state, 500).l3_memory.shortTerm.length, expire(state, 5_000).l3_memory.shortTerm.length); // 1 0
 * ```
 */
export function expire(state: LayeredState, now: number): LayeredState {
  assertNumber("now", now);
  const { l3_memory, l4_evidence } = state;
  const shortTerm = l3_memory.shortTerm.filter((entry) => isLive(entry, now));
  const observations = l4_evidence.observations.filter((entry) => isLive(entry, now));
  const isUnchanged =
    shortTerm.length === l3_memory.shortTerm.length && observations.length === l4_evidence.observations.length;
  if (isUnchanged) return state;
  return { ...state, l3_memory: { ...l3_memory, shortTerm }, l4_evidence: { ...l4_evidence, observations } };
}
