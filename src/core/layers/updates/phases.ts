import { PalimpsestError } from "../../errors.ts";
import type { LayeredState, Phase } from "../layered-state.ts";
import { phaseCheck } from "../state/entry-checks.ts";

/**
 * The phases that may follow each phase. After the end, planning may begin again for a follow-up or another try.
 * @example
 * ```ts
 * import { PHASE_TRANSITIONS } from "palimpsest/agent";
 * console.log(PHASE_TRANSITIONS.completed); // [ 'planning' ]
 * ```
 */
export const PHASE_TRANSITIONS = {
  initializing: ["planning", "executing", "failed"],
  planning: ["executing", "verifying", "completed", "failed"],
  executing: ["planning", "reflecting", "verifying", "completed", "failed"],
  reflecting: ["planning", "executing", "verifying", "completed", "failed"],
  verifying: ["planning", "executing", "reflecting", "completed", "failed"],
  completed: ["planning"],
  failed: ["planning"],
} as const satisfies Record<Phase, readonly Phase[]>;

/** Whether a phase may follow another; a phase may always follow itself. */
export function mayEnterPhase(from: Phase, to: Phase): boolean {
  const allowed: readonly Phase[] = PHASE_TRANSITIONS[from];
  return from === to || allowed.includes(to);
}

/**
 * Enters a phase. Throws "invalid-argument" where {@link PHASE_TRANSITIONS} does not allow it; the message names the allowed phases.
 * @example
 * ```ts
 * import { createInitialState, setPhase } from "palimpsest/agent";
 * console.log(setPhase(createInitialState("Fix the login"), "planning").l2_runtime.phase); // planning
 * ```
 */
export function setPhase(state: LayeredState, phase: Phase): LayeredState {
  phaseCheck(phase, "phase");
  const { phase: current } = state.l2_runtime;
  if (current === phase) return state;
  if (!mayEnterPhase(current, phase)) {
    const allowed = PHASE_TRANSITIONS[current].join(", ");
    throw new PalimpsestError("invalid-argument", `${current} cannot become ${phase}; it may become ${allowed}.`);
  }
  return { ...state, l2_runtime: { ...state.l2_runtime, phase } };
}

/** The outcome of the last step of an agent's loop. */
interface StepOutcome {
  readonly phase: Phase;
  /** Steps since the phase began, this one included. */
  readonly stepsInPhase: number;
  /** Whether a call changed something: it used a permission beyond reading. */
  readonly hasActed: boolean;
  /** Steps in a row in which every call failed. */
  readonly failuresInARow: number;
}

/** After so many planning steps, the agent goes on to the phase that shows tools for changes. */
const MAX_PLANNING_STEPS = 3;
/** After so many failed steps in a row, the agent reflects. */
const FAILURES_TO_REFLECT = 3;

/** The phase that follows automatically, and why; undefined where the phase does not change. */
export function nextPhase({
  phase,
  stepsInPhase,
  hasActed,
  failuresInARow,
}: StepOutcome): { readonly phase: Phase; readonly reason: string } | undefined {
  switch (phase) {
    case "initializing":
      return { phase: "planning", reason: "The task begins." };
    case "planning":
      if (hasActed) return { phase: "executing", reason: "Something was changed." };
      return stepsInPhase < MAX_PLANNING_STEPS
        ? undefined
        : { phase: "executing", reason: `${MAX_PLANNING_STEPS} steps were enough to look around.` };
    case "executing":
      return failuresInARow < FAILURES_TO_REFLECT
        ? undefined
        : { phase: "reflecting", reason: `${FAILURES_TO_REFLECT} steps in a row failed.` };
    case "reflecting":
      return { phase: "executing", reason: "One step back was taken." };
    case "verifying":
    case "completed":
    case "failed":
      return undefined;
  }
}
