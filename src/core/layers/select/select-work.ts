import { type ContextItem, itemMaker } from "../context/context-item.ts";
import type { Draft, Hypothesis, PlannedChange, PlanStep, WorkBufferLayer } from "../layered-state.ts";

const stepItem = itemMaker<PlanStep>(({ id, status, dependsOn, description }) => ({
  tag: "step",
  attributes: { id, status, "depends-on": dependsOn.length === 0 ? undefined : dependsOn.join(", ") },
  text: description,
  priority: status === "done" || status === "skipped" ? "low" : "high",
}));

const changeItem = itemMaker<PlannedChange>(({ path, type, status, description }) => ({
  tag: "change",
  attributes: { path, type, status },
  text: description,
  priority: status === "reverted" ? "minimal" : "medium",
}));

const hypothesisItem = itemMaker<Hypothesis>(({ status, evidence, statement }) => ({
  tag: "hypothesis",
  attributes: { status, evidence: evidence.length === 0 ? undefined : evidence.join("; ") },
  text: statement,
  priority: "medium",
}));

const draftItem = itemMaker<Draft>(({ title, content }) => ({
  tag: "draft",
  attributes: { title },
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
export function workItems(work: WorkBufferLayer): readonly ContextItem[] {
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
