import type { Citation, EvidenceLayer, LayeredState, Measurement, Observation, Retrieval } from "../layered-state.ts";
import { ENTRY_CHECKS } from "../state/entry-checks.ts";
import { append } from "./lists.ts";
import { DEFAULT_TTL_MS } from "./time-to-live.ts";

/** An observation to be added. */
export type NewObservation = Omit<Observation, "ttlMs"> & {
  /** @default 300_000 */
  readonly ttlMs?: number;
};

/**
 * Adds an observation. Each list of evidence keeps its newest 200 entries.
 * @example
 * ```ts
 * import { addObservation, createInitialState } from "palimpsest/agent";
 * const state = addObservation(createInitialState("Fix the login"), { id: "o1", at: 0, source: "tests", content: "2 failed" });
 * console.log(state.l4_evidence.observations[0]?.ttlMs); // 300000
 * ```
 */
export function addObservation(state: LayeredState, observation: NewObservation): LayeredState {
  const whole: Observation = { ...observation, ttlMs: observation?.ttlMs ?? DEFAULT_TTL_MS };
  ENTRY_CHECKS.observation(whole, "observation");
  return withEvidence(state, { observations: append(state.l4_evidence.observations, whole) });
}

/**
 * Adds a search result.
 * @example
 * ```ts
 * import { addRetrieval, createInitialState } from "palimpsest/agent";
 * const found = { id: "r1", at: 0, query: "token expiry", source: "docs/auth.md", content: "One hour.", relevance: 0.8 };
 * console.log(addRetrieval(createInitialState("Fix the login"), found).l4_evidence.retrievals.length); // 1
 * ```
 */
export function addRetrieval(state: LayeredState, retrieval: Retrieval): LayeredState {
  ENTRY_CHECKS.retrieval(retrieval, "retrieval");
  return withEvidence(state, { retrievals: append(state.l4_evidence.retrievals, retrieval) });
}

/**
 * Adds a quote from a source.
 * @example
 * ```ts
 * import { addCitation, createInitialState } from "palimpsest/agent";
 * const state = addCitation(createInitialState("Fix the login"), { id: "c1", source: "RFC 7519", quote: "exp is a number" });
 * console.log(state.l4_evidence.citations.map(({ source }) => source)); // [ 'RFC 7519' ]
 * ```
 */
export function addCitation(state: LayeredState, citation: Citation): LayeredState {
  ENTRY_CHECKS.citation(citation, "citation");
  return withEvidence(state, { citations: append(state.l4_evidence.citations, citation) });
}

/**
 * Adds a measurement.
 * @example
 * ```ts
 * import { addMeasurement, createInitialState } from "palimpsest/agent";
 * const state = addMeasurement(createInitialState("Make it fast"), { at: 0, name: "start", value: 120, unit: "ms" });
 * console.log(state.l4_evidence.measurements.map(({ value }) => value)); // [ 120 ]
 * ```
 */
export function addMeasurement(state: LayeredState, measurement: Measurement): LayeredState {
  ENTRY_CHECKS.measurement(measurement, "measurement");
  return withEvidence(state, { measurements: append(state.l4_evidence.measurements, measurement) });
}

function withEvidence(state: LayeredState, change: Partial<EvidenceLayer>): LayeredState {
  return { ...state, l4_evidence: { ...state.l4_evidence, ...change } };
}
