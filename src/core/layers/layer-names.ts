import type { MemoryLayer, PriorityName } from "./layered-state.ts";

/** The layers by the names that budgets and reports use. */
export type LayerName = "system" | "task" | "runtime" | "memory" | "evidence" | "workBuffer";

/** Working variables share the budget of short-term memory. */
export type MemoryKind = Exclude<keyof MemoryLayer, "workingVariables">;

/** Content with a higher priority is kept first and shown first; among equals, that of the lower layer. */
export const PRIORITIES = {
  critical: 100,
  high: 80,
  medium: 50,
  low: 20,
  minimal: 5,
} as const satisfies Record<PriorityName, number>;

/** Critical layers are shown whole or not at all. */
export const LAYER_PRIORITIES = {
  system: "critical",
  task: "critical",
  runtime: "high",
  memory: "medium",
  evidence: "medium",
  workBuffer: "high",
} as const satisfies Record<LayerName, PriorityName>;

/** From L0 to L5. */
export const LAYER_NAMES = ["system", "task", "runtime", "memory", "evidence", "workBuffer"] as const;

export const MEMORY_KINDS = ["shortTerm", "episodic", "semantic", "procedural"] as const;
