import type { ContextGroup } from "../context/context-item.ts";
import type { LayeredState } from "../layered-state.ts";
import { measureRelevance, type Similarity } from "./relevance.ts";
import { evidenceItems } from "./select-evidence.ts";
import { runtimeItems, systemItems, taskItems } from "./select-fixed.ts";
import { memoryItems } from "./select-memory.ts";
import { workItems } from "./select-work.ts";

/** What of a state belongs into a context, were there room for all of it; from L0 to L5. */
export function selectContent(
  state: LayeredState,
  { now, similarity }: { readonly now: number; readonly similarity: Similarity },
): readonly ContextGroup[] {
  const relevance = measureRelevance(state, similarity);
  const memory = memoryItems(state.l3_memory, { now, relevance });
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
