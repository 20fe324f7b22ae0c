import { assertNumber } from "../../assert.ts";
import type { LayeredState } from "../layered-state.ts";

/** How long something is remembered that nobody gave a time. */
export const DEFAULT_TTL_MS = 5 * 60_000;

interface Mortal {
  readonly at: number;
  readonly ttlMs: number;
}

/** Whether it has not outlived its time yet. */
export function isLive({ at, ttlMs }: Mortal, now: number): boolean {
  return now - at < ttlMs;
}

/**
 * The state without the short-term entries and observations that outlived their time; the same object where none did.
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
