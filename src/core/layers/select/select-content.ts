import { type ContextGroup, type ContextItem, itemMaker } from "../context/context-item.ts";
import type {
  Citation,
  Draft,
  EvidenceLayer,
  Hypothesis,
  LayeredState,
  Measurement,
  Observation,
  PlannedChange,
  PlanStep,
  Retrieval,
  WorkBufferLayer,
} from "../layered-state.ts";
import { isLive } from "../updates/time-to-live.ts";
import { CONTEXT_LIMITS } from "./limits.ts";
import { measureRelevance, type Similarity } from "./relevance.ts";
import { runtimeItems, systemItems, taskItems } from "./select-fixed.ts";
import { memoryItems, newestFirst } from "./select-memory.ts";

/** Selects the content of a state for a context, without regard to the budget; from L0 to L5. */
export function selectContent(
  state: LayeredState,
  { now, similarity }: { readonly now: number; readonly similarity: Similarity },
): readonly ContextGroup[] {
  const relevance = measureRelevance(state, similarity);
  const memory = memoryItems(state.l3_memory, { now, phase: state.l2_runtime.phase, relevance });
  return [
    { layer: "system", name: "system", tag: "system", items: systemItems(state.l0_system) },
    { layer: "task", name: "task", tag: "task", items: taskItems(state.l1_task) },
    { layer: "runtime", name: "runtime", tag: "runtime", items: runtimeItems(state.l2_runtime) },
    { layer: "memory", name: "shortTerm", tag: "short-term", items: memory.shortTerm },
    { layer: "memory", name: "episodic", tag: "episodic", items: memory.episodic },
    { layer: "memory", name: "semantic", tag: "semantic", items: memory.semantic },
    { layer: "memory", name: "procedural", tag: "procedural", items: memory.procedural },
    { layer: "evidence", name: "evidence", tag: "evidence", items: evidenceItems(state.l4_evidence, now) },
    { layer: "workBuffer", name: "workBuffer", tag: "work-buffer", items: workItems(state.l5_workBuffer) },
  ];
}

const stepItem = itemMaker<PlanStep>(({ id, status, dependsOn, description, durationMs }) => ({
  tag: "step",
  attributes: {
    ...{ id, status, "depends-on": dependsOn.length === 0 ? undefined : dependsOn.join(", ") },
    "duration-ms": durationMs,
  },
  text: description,
  priority: status === "done" || status === "skipped" ? "low" : "high",
}));

const changeItem = itemMaker<PlannedChange>(({ path, type, status, description, before, after }) => ({
  tag: "change",
  attributes: { path, type, status },
  text: [
    description,
    ...(before === undefined ? [] : [`Before: ${before}`]),
    ...(after === undefined ? [] : [`After: ${after}`]),
  ].join("\n"),
  priority: status === "reverted" ? "minimal" : "medium",
}));

const hypothesisItem = itemMaker<Hypothesis>(({ status, evidence, statement, confidence }) => ({
  tag: "hypothesis",
  attributes: { status, confidence, evidence: evidence.length === 0 ? undefined : evidence.join("; ") },
  text: statement,
  priority: "medium",
}));

const draftItem = itemMaker<Draft>(({ title, content, version }) => ({
  tag: "draft",
  attributes: { title, version },
  text: content,
  priority: "low",
}));

const notesItem = itemMaker<WorkBufferLayer>(({ scratchpad }) => ({
  tag: "scratchpad",
  attributes: {},
  text: scratchpad,
  priority: "low",
}));

/** The plan, the changes, the hypotheses that are still open, the drafts and the scratchpad. */
function workItems(work: WorkBufferLayer): readonly ContextItem[] {
  const { plan, changes, hypotheses, drafts, scratchpad } = work;
  const open = hypotheses.filter(({ status }) => status === "untested" || status === "inconclusive");
  return [
    ...plan.map(stepItem),
    ...changes.map(changeItem),
    ...open.map(hypothesisItem),
    ...drafts.map(draftItem),
    ...(scratchpad === "" ? [] : [notesItem(work)]),
  ];
}

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

/** The observations and measurements of the last minute, and the retrievals and citations. */
function evidenceItems(evidence: EvidenceLayer, now: number): readonly ContextItem[] {
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

/** The ten most relevant retrievals; among equals, the newest. */
function chooseRetrievals(retrievals: readonly Retrieval[]): readonly Retrieval[] {
  return newestFirst(retrievals.filter(({ relevance }) => relevance > CONTEXT_LIMITS.relevance))
    .toSorted((one, other) => other.relevance - one.relevance)
    .slice(0, CONTEXT_LIMITS.retrievals);
}
