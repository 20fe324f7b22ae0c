import { assert, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Draft, Hypothesis, LayeredState, PlannedChange, PlanStep, WorkBufferLayer } from "../layered-state.ts";
import { listOf } from "../state/checks.ts";
import { ENTRY_CHECKS } from "../state/entry-checks.ts";
import { append, idOf, put } from "./lists.ts";

const planCheck = listOf(ENTRY_CHECKS.planStep);

/**
 * Replaces the plan. Throws "invalid-argument" where an id occurs twice, or steps depend on unknown ones or on each other in a cycle.
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

/** The status of a step of the plan, and how long it took. */
export type StepProgress = Pick<PlanStep, "status" | "durationMs">;

/**
 * Sets the status of a step of the plan, and optionally how long it took. Throws "not-found" where the plan has no step with that id.
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
 * Adds a change, in place of an earlier one of the same path.
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
 * Adds a hypothesis, in place of one with the same id.
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

/** How many earlier contents of a draft are kept. */
const MAX_EARLIER_VERSIONS = 5;

/**
 * Adds a draft. If there is one with the same id and another content, it becomes the next version of that; the last five contents are kept.
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
 * Replaces the text of the scratchpad.
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
  const unordered = new Map<string, PlanStep>();
  for (const step of plan) {
    if (unordered.has(step.id)) throw refused(`two steps have the id ${JSON.stringify(step.id)}`);
    unordered.set(step.id, step);
  }
  for (const { id, dependsOn } of plan) {
    const unknown = dependsOn.find((other) => !unordered.has(other));
    if (unknown !== undefined)
      throw refused(`step ${JSON.stringify(id)} depends on ${JSON.stringify(unknown)}, which it lacks`);
  }
  for (let before = Number.POSITIVE_INFINITY; unordered.size < before; ) {
    before = unordered.size;
    for (const [id, { dependsOn }] of unordered) {
      if (!dependsOn.some((other) => unordered.has(other))) unordered.delete(id);
    }
  }
  const cycle = [...unordered.keys()].map((id) => JSON.stringify(id));
  if (cycle.length > 0) throw refused(`its steps ${cycle.join(", ")} wait for each other`);
}

function refused(reason: string): PalimpsestError {
  return new PalimpsestError("invalid-argument", `The plan cannot be carried out: ${reason}.`);
}
