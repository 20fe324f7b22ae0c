import { assertNumber, assertObject } from "../../assert.ts";
import type { Phase } from "../layered-state.ts";
import { allocateBudget, type BudgetAllocation, type BudgetOptions } from "./allocate-budget.ts";
import { type ModelClass, modelClassOf } from "./model-class.ts";

export interface BudgetAllocatorOptions {
  readonly totalTokens: number;
  /** Whose class shifts the budget. @default undefined: no shift */
  readonly modelId?: string | undefined;
  /** Instead of the one that the model registry tells. */
  readonly modelClass?: ModelClass | undefined;
}

export interface AllocateOptions extends Pick<BudgetOptions, "needs"> {
  /** @default the allocator's */
  readonly totalTokens?: number | undefined;
}

/**
 * {@link allocateBudget} for one model and one total.
 * @example
 * ```ts
 * import { BudgetAllocator } from "palimpsest/agent";
 * const { layers, reserve } = new BudgetAllocator({ totalTokens: 100_000 }).allocate("executing");
 * console.log(layers.system, layers.evidence, reserve); // 4500 18000 10000
 * ```
 */
export class BudgetAllocator {
  readonly totalTokens: number;
  readonly modelClass: ModelClass | undefined;

  constructor(options: BudgetAllocatorOptions) {
    assertObject("options", options);
    const { totalTokens, modelId, modelClass } = options;
    assertNumber("totalTokens", totalTokens, 0);
    this.totalTokens = totalTokens;
    this.modelClass = modelClass ?? (modelId === undefined ? undefined : modelClassOf(modelId));
  }

  /** The budget in a phase; with needs, what a layer leaves flows to those that need it. */
  allocate(phase: Phase, options: AllocateOptions = {}): BudgetAllocation {
    assertObject("options", options);
    const { totalTokens = this.totalTokens, needs } = options;
    return allocateBudget({ totalTokens, phase, modelClass: this.modelClass, needs });
  }
}
