import { assertNumber, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import type { ExecutionStep, Failure, LayeredState, ResourceUse, RuntimeLayer } from "../layered-state.ts";
import { ENTRY_CHECKS } from "../state/entry-checks.ts";
import type { CriterionResult } from "../task-layer.ts";
import { append } from "./lists.ts";

/**
 * Adds a step to the history. History and failures keep their newest 200 entries.
 * @example
 * ```ts
 * import { createInitialState, recordStep } from "palimpsest/agent";
 * const step = { at: 0, action: "npm test", outcome: "success", durationMs: 900 } as const;
 * console.log(recordStep(createInitialState("Fix the login"), step).l2_runtime.history.length); // 1
 * ```
 */
export function recordStep(state: LayeredState, step: ExecutionStep): LayeredState {
  ENTRY_CHECKS.step(step, "step");
  return withRuntime(state, { history: append(state.l2_runtime.history, step) });
}

/**
 * Adds a failure, as unresolved.
 * @example
 * ```ts
 * import { createInitialState, recordFailure } from "palimpsest/agent";
 * const state = recordFailure(createInitialState("Fix the login"), { id: "x1", at: 0, error: "ECONNREFUSED" });
 * console.log(state.l2_runtime.failures[0]?.isResolved); // false
 * ```
 */
export function recordFailure(state: LayeredState, failure: Omit<Failure, "isResolved">): LayeredState {
  const whole: Failure = { ...failure, isResolved: false };
  ENTRY_CHECKS.failure(whole, "failure");
  return withRuntime(state, { failures: append(state.l2_runtime.failures, whole) });
}

/**
 * Marks a failure as resolved. Throws "not-found" where no failure has that id.
 * @example
 * ```ts
 * import { createInitialState, recordFailure, resolveFailure } from "palimpsest/agent";
 * const failed = recordFailure(createInitialState("Fix the login"), { id: "x1", at: 0, error: "ECONNREFUSED" });
 * console.log(resolveFailure(failed, "x1").l2_runtime.failures[0]?.isResolved); // true
 * ```
 */
export function resolveFailure(state: LayeredState, id: string): LayeredState {
  const { failures } = state.l2_runtime;
  const place = failures.findLastIndex((failure) => failure.id === id);
  const failure = failures[place];
  if (failure === undefined) throw new PalimpsestError("not-found", `No failure has the id ${JSON.stringify(id)}.`);
  return failure.isResolved
    ? state
    : withRuntime(state, { failures: failures.with(place, { ...failure, isResolved: true }) });
}

/**
 * Adds to the used resources.
 * @example
 * ```ts
 * import { addUse, createInitialState } from "palimpsest/agent";
 * const state = addUse(addUse(createInitialState("Fix the login"), { toolCalls: 2 }), { toolCalls: 1 });
 * console.log(state.l2_runtime.resources.toolCalls); // 3
 * ```
 */
export function addUse(state: LayeredState, use: Partial<ResourceUse>): LayeredState {
  assertObject("use", use);
  const { resources } = state.l2_runtime;
  const sum = (field: keyof ResourceUse) => {
    const added = use[field] ?? 0;
    assertNumber(`use.${field}`, added, 0);
    return (resources[field] ?? 0) + added;
  };
  return withRuntime(state, {
    resources: {
      toolCalls: sum("toolCalls"),
      modelCalls: sum("modelCalls"),
      inputTokens: sum("inputTokens"),
      outputTokens: sum("outputTokens"),
      cached: sum("cached"),
      costUsd: sum("costUsd"),
      elapsedMs: sum("elapsedMs"),
    },
  });
}

/** Sets the results of the success criteria; returns the same state where they have not changed. */
export function setCriteria(state: LayeredState, criteria: readonly CriterionResult[]): LayeredState {
  const { criteria: earlier = [] } = state.l2_runtime;
  const isSame =
    earlier.length === criteria.length &&
    criteria.every(({ description, status, reason }, index) => {
      const before = earlier[index];
      return before?.description === description && before.status === status && before.reason === reason;
    });
  return isSame ? state : withRuntime(state, { criteria });
}

function withRuntime(state: LayeredState, change: Partial<RuntimeLayer>): LayeredState {
  return { ...state, l2_runtime: { ...state.l2_runtime, ...change } };
}
