import { PalimpsestError } from "../../errors.ts";
import type { PlanStep } from "../layered-state.ts";

/** Throws "invalid-argument" unless there is an order in which the steps can be done. */
export function assertOrder(plan: readonly PlanStep[]): void {
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
