import { assert, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Draft, Hypothesis, LayeredState, PlannedChange, PlanStep, WorkBufferLayer } from "../layered-state.ts";
import { listOf } from "../state/checks.ts";
import { ENTRY_CHECKS } from "../state/entry-checks.ts";
import { append, idOf, put } from "./lists.ts";

const planCheck = listOf(ENTRY_CHECKS.planStep);

/**
 * Replaces the plan. Throws "invalid-argument" where ids repeat, or steps depend on unknown ones or in a circle.
 * @example
 * ```ts
 * import { createInitialState, setPlan } from "palimpsest/agent";
 * const step = (id: string, dependsOn: readonly string[]) => ({ id, description: id, status: "pending", dependsOn }) as const;
 * console.log(setPlan(createInitialState("Fix the login"), [step("read", []), step("fix", ["read"])]).l5_workBuffer.plan.length); // 2
 * ```
 */
export function setPlan(state: LayeredState, plan: readonly PlanStep[]): LayeredState {
  planCheck(plan, "plan");
  assertOrder(plan);
  return withWork(state, { plan });
}

/** How a step of the plan stands, and how long it took. */
export type StepProgress = Pick<PlanStep, "status" | "durationMs">;

/**
 * Says how a step of the plan stands, and if wanted how long it took. Throws "not-found" where the plan has no step of that id.
 * @example
 * ```ts
 * import { createInitialState, setPlan, setStepStatus } from "palimpsest/agent";
 * const state = setPlan(createInitialState("Fix it"), [{ id: "read", description: "Read it", status: "pending", dependsOn: [] }]);
 * console.log(setStepStatus(state, "read", "done").l5_workBuffer.plan[0]?.status); // done
 * console.log(setStepStatus(state, "read", { status: "done", durationMs: 90 }).l5_workBuffer.plan[0]?.durationMs); // 90
 * ```
 */
export function setStepStatus(
  state: LayeredState,
  id: string,
  progress: PlanStep["status"] | StepProgress,
): LayeredState {
  const { plan } = state.l5_workBuffer;
  const place = plan.findIndex((step) => step.id === id);
  const step = plan[place];
  if (step === undefined) throw new PalimpsestError("not-found", `The plan has no step ${JSON.stringify(id)}.`);
  if (typeof progress !== "string") assertObject("progress", progress);
  const { status, durationMs } = typeof progress === "string" ? { status: progress } : { ...progress };
  const changed: PlanStep = { ...step, status, ...(durationMs === undefined ? {} : { durationMs }) };
  ENTRY_CHECKS.planStep(changed, "step");
  return withWork(state, { plan: plan.with(place, changed) });
}

/**
 * Takes down a change; the one before of the same path is replaced.
 * @example
 * ```ts
 * import { createInitialState, putChange } from "palimpsest/agent";
 * const change = { path: "src/a.ts", type: "modify", description: "Check expiry", status: "planned" } as const;
 * console.log(putChange(createInitialState("Fix the login"), change).l5_workBuffer.changes[0]?.status); // planned
 * ```
 */
export function putChange(state: LayeredState, change: PlannedChange): LayeredState {
  ENTRY_CHECKS.change(change, "change");
  return withWork(state, { changes: put(state.l5_workBuffer.changes, change, ({ path }) => path) });
}

/**
 * Takes down what might be so, or how its test came out; what has the same id is replaced.
 * @example
 * ```ts
 * import { createInitialState, putHypothesis } from "palimpsest/agent";
 * const guess = { id: "h1", statement: "The clock is wrong.", status: "untested", evidence: [] } as const;
 * console.log(putHypothesis(createInitialState("Fix the login"), guess).l5_workBuffer.hypotheses.length); // 1
 * ```
 */
export function putHypothesis(state: LayeredState, hypothesis: Hypothesis): LayeredState {
  ENTRY_CHECKS.hypothesis(hypothesis, "hypothesis");
  return withWork(state, { hypotheses: put(state.l5_workBuffer.hypotheses, hypothesis, idOf) });
}

/** Of what a draft said before. */
const MAX_EARLIER_VERSIONS = 5;

/**
 * Keeps a draft. One with the same id becomes its next version where the content differs, and the last five contents are kept.
 * @example
 * ```ts
 * import { createInitialState, putDraft } from "palimpsest/agent";
 * const first = putDraft(createInitialState("Fix the login"), { id: "d1", title: "Reply", content: "Done." });
 * const [draft] = putDraft(first, { id: "d1", title: "Reply", content: "All done." }).l5_workBuffer.drafts;
 * console.log(draft?.version, draft?.earlier); // 2 [ { version: 1, content: 'Done.' } ]
 * ```
 */
export function putDraft(state: LayeredState, draft: Omit<Draft, "version" | "earlier">): LayeredState {
  ENTRY_CHECKS.draft(draft, "draft");
  const before = state.l5_workBuffer.drafts.find(({ id }) => id === draft.id);
  const drafts = put(state.l5_workBuffer.drafts, before === undefined ? draft : nextVersion(before, draft), idOf);
  return withWork(state, { drafts });
}

function nextVersion(before: Draft, draft: Draft): Draft {
  if (before.content === draft.content) return { ...before, ...draft };
  const { version = 1, content, earlier = [] } = before;
  return {
    ...draft,
    version: version + 1,
    earlier: append(earlier, { version, content }, MAX_EARLIER_VERSIONS),
  };
}

/**
 * Replaces what stands on the scratchpad.
 * @example
 * ```ts
 * import { createInitialState, writeScratchpad } from "palimpsest/agent";
 * console.log(writeScratchpad(createInitialState("Fix the login"), "Look at auth.ts.").l5_workBuffer.scratchpad); // Look at auth.ts.
 * ```
 */
export function writeScratchpad(state: LayeredState, scratchpad: string): LayeredState {
  assert(typeof scratchpad === "string", "scratchpad", scratchpad, "a string");
  return withWork(state, { scratchpad });
}

function withWork(state: LayeredState, change: Partial<WorkBufferLayer>): LayeredState {
  return { ...state, l5_workBuffer: { ...state.l5_workBuffer, ...change } };
}

/** Throws "invalid-argument" unless there is an order in which the steps can be done. */
function assertOrder(plan: readonly PlanStep[]): void {
  const waiting = new Map<string, PlanStep>();
  for (const step of plan) {
    if (waiting.has(step.id)) throw refused(`two steps have the id ${JSON.stringify(step.id)}`);
    waiting.set(step.id, step);
  }
  for (const { id, dependsOn } of plan) {
    const unknown = dependsOn.find((other) => !waiting.has(other));
    if (unknown !== undefined)
      throw refused(`step ${JSON.stringify(id)} depends on ${JSON.stringify(unknown)}, which it lacks`);
  }
  for (let before = Number.POSITIVE_INFINITY; waiting.size < before; ) {
    before = waiting.size;
    for (const [id, { dependsOn }] of waiting) if (!dependsOn.some((other) => waiting.has(other))) waiting.delete(id);
  }
  const circle = [...waiting.keys()].map((id) => JSON.stringify(id));
  if (circle.length > 0) throw refused(`its steps ${circle.join(", ")} wait for each other`);
}

function refused(reason: string): PalimpsestError {
  return new PalimpsestError("invalid-argument", `The plan cannot be carried out: ${reason}.`);
}
