import type { Phase } from "../layered-state.ts";

/** What the last step of an agent's loop came to. */
export interface StepOutcome {
  readonly phase: Phase;
  /** Steps since the phase began, this one included. */
  readonly stepsInPhase: number;
  /** Whether a call changed something: it used a permission beyond reading. */
  readonly hasActed: boolean;
  /** Steps in a row in which every call failed. */
  readonly failuresInARow: number;
}

/** After so many steps of looking around, tools that change things are shown as well. */
export const MAX_PLANNING_STEPS = 3;
/** One failure is news; several in a row are a reason to step back. */
export const FAILURES_TO_REFLECT = 3;

/** The phase that follows without being asked for, and why; undefined where the agent goes on as it is. */
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
