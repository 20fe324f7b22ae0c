import { type ContextItem, itemMaker } from "../context/context-item.ts";
import type { Citation, EvidenceLayer, Measurement, Observation, Retrieval } from "../layered-state.ts";
import { isLive } from "../updates/time-to-live.ts";
import { CONTEXT_LIMITS } from "./limits.ts";
import { newestFirst } from "./newest-first.ts";

const observationItem = itemMaker<Observation>(({ source, content }) => ({
  tag: "observation",
  attributes: { source },
  text: content,
  priority: "high",
}));

const retrievalItem = itemMaker<Retrieval>(({ source, query, relevance, content }) => ({
  tag: "retrieval",
  attributes: { source, query, relevance },
  text: content,
  priority: "medium",
}));

const measurementItem = itemMaker<Measurement>(({ name, value, unit }) => ({
  tag: "measurement",
  attributes: { name, unit },
  text: String(value),
  priority: "medium",
}));

const citationItem = itemMaker<Citation>(({ source, quote }) => ({
  tag: "citation",
  attributes: { source },
  text: quote,
  priority: "low",
}));

/** What was seen and measured in the last minute, and what was retrieved and cited. */
export function evidenceItems(evidence: EvidenceLayer, now: number): readonly ContextItem[] {
  const { observations, retrievals, citations, measurements } = evidence;
  const isYoung = ({ at }: { readonly at: number }) => now - at < CONTEXT_LIMITS.evidenceMaxAgeMs;
  const live = observations.filter((entry) => isLive(entry, now) && isYoung(entry));
  return [
    ...newestFirst(live).slice(0, CONTEXT_LIMITS.observations).map(observationItem),
    ...chooseRetrievals(retrievals).map(retrievalItem),
    ...newestFirst(measurements.filter(isYoung)).slice(0, CONTEXT_LIMITS.otherEvidence).map(measurementItem),
    ...citations.toReversed().slice(0, CONTEXT_LIMITS.otherEvidence).map(citationItem),
  ];
}

/** The ten most relevant; of equals the newest. */
function chooseRetrievals(retrievals: readonly Retrieval[]): readonly Retrieval[] {
  return newestFirst(retrievals.filter(({ relevance }) => relevance > CONTEXT_LIMITS.relevance))
    .toSorted((one, other) => other.relevance - one.relevance)
    .slice(0, CONTEXT_LIMITS.retrievals);
}
