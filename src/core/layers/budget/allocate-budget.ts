import { assert, assertNumber, assertObject } from "../../assert.ts";
import { TOKEN_BUFFER_PERCENTAGE } from "../../tokens/budget.ts";
import {
  LAYER_NAMES,
  LAYER_PRIORITIES,
  type LayerName,
  MEMORY_KINDS,
  type MemoryKind,
  PRIORITIES,
} from "../layer-names.ts";
import type { Phase } from "../layered-state.ts";
import { phaseCheck } from "../state/entry-checks.ts";
import {
  byLayer,
  type LayerNumbers,
  layerPercents,
  MEMORY_PERCENTS,
  MEMORY_WEIGHTS,
  type ModelClass,
  modelClassOf,
} from "./layer-percents.ts";

/** The tokens of each layer's whole content; 0 for an empty layer. */
export interface BudgetNeeds extends Readonly<Record<Exclude<LayerName, "memory">, number>> {
  readonly memory: Readonly<Record<MemoryKind, number>>;
}

export interface BudgetOptions {
  /** A tenth of it stays free, because token counts are estimates. */
  readonly totalTokens: number;
  readonly phase: Phase;
  /** @default undefined: no shift */
  readonly modelClass?: ModelClass | undefined;
  /** @default undefined: every layer gets its share, whatever its content */
  readonly needs?: BudgetNeeds | undefined;
}

/** A budget in whole tokens. The layers and the reserve add up to the total, the kinds of memory to the memory layer. */
export interface BudgetAllocation {
  readonly totalTokens: number;
  readonly layers: Readonly<Record<LayerName, number>>;
  readonly memory: Readonly<Record<MemoryKind, number>>;
  /** The tokens that no layer gets: the free tenth, tokens that no layer needs, and rounding remainders. */
  readonly reserve: number;
}

/**
 * Divides a budget among the layers.
 *
 * Without needs, each layer gets its share of nine tenths, rounded down. With needs, the critical layers get all that they need first; the
 * others get their shares of the rest, as far as they need them, and tokens that are still free go to the layers that need more:
 * by priority, and among equals by their shares. Where even the critical layers need more than the budget, they get all of it.
 */
export function allocateBudget(options: BudgetOptions): BudgetAllocation {
  assertObject("options", options);
  const { phase, modelClass, needs } = options;
  assertNumber("totalTokens", options.totalTokens, 0);
  phaseCheck(phase, "phase");
  assert(isModelClass(modelClass), "modelClass", modelClass, '"opus", "haiku" or undefined');
  const totalTokens = Math.floor(options.totalTokens);
  const usable = usableTokens(totalTokens);
  const percents = layerPercents(phase, modelClass);
  const layers = needs === undefined ? partsOf(usable, percents) : flow(usable, percents, layerNeeds(needs));
  const reserve = LAYER_NAMES.reduce((left, layer) => left - layers[layer], totalTokens);
  return { totalTokens, layers, memory: splitMemory(layers.memory, needs?.memory), reserve };
}

/** The tokens of a budget that layers get: all but the buffer. */
export function usableTokens(totalTokens: number): number {
  return Math.floor(Math.floor(totalTokens) * (1 - TOKEN_BUFFER_PERCENTAGE));
}

function isModelClass(value: unknown): boolean {
  return value === undefined || value === "opus" || value === "haiku";
}

function partsOf(tokens: number, percents: LayerNumbers): LayerNumbers {
  const sum = LAYER_NAMES.reduce((total, layer) => total + percents[layer], 0);
  return byLayer((layer) => Math.floor((tokens * percents[layer]) / sum));
}

function layerNeeds(needs: BudgetNeeds): LayerNumbers {
  assertObject("needs", needs);
  assertObject("needs.memory", needs.memory);
  const whole = (name: string, need: number) => {
    assertNumber(`needs.${name}`, need, 0);
    return Math.ceil(need);
  };
  return byLayer((layer) =>
    layer === "memory"
      ? MEMORY_KINDS.reduce((sum, kind) => sum + whole(`memory.${kind}`, needs.memory[kind]), 0)
      : whole(layer, needs[layer]),
  );
}

function flow(usable: number, percents: LayerNumbers, needs: LayerNumbers): LayerNumbers {
  const given = { system: 0, task: 0, runtime: 0, memory: 0, evidence: 0, workBuffer: 0 };
  let left = usable;
  const give = (layer: LayerName, tokens: number) => {
    given[layer] += tokens;
    left -= tokens;
  };
  const critical = layersOf(PRIORITIES.critical);
  for (const layer of critical) give(layer, Math.min(left, needs[layer]));

  const others = LAYER_NAMES.filter((layer) => !critical.includes(layer));
  const parts = partsOf(usable, percents);
  // Where the critical layers took more than their shares, those of the others shrink in proportion.
  const shrink = Math.min(
    1,
    left /
      Math.max(
        1,
        others.reduce((sum, layer) => sum + parts[layer], 0),
      ),
  );
  for (const layer of others) give(layer, Math.min(needs[layer], Math.floor(parts[layer] * shrink)));

  for (const priority of [PRIORITIES.high, PRIORITIES.medium, PRIORITIES.low, PRIORITIES.minimal]) {
    const layers = layersOf(priority);
    // A layer whose share a shift has reduced to 0 still takes part: it may be the only one in need.
    const claims = layers.map((layer) => ({ need: needs[layer] - given[layer], weight: Math.max(1, percents[layer]) }));
    const parts = shareOut(left, claims);
    for (const [index, layer] of layers.entries()) give(layer, parts[index] ?? 0);
  }
  return given;
}

function layersOf(priority: number): readonly LayerName[] {
  return LAYER_NAMES.filter((layer) => PRIORITIES[LAYER_PRIORITIES[layer]] === priority);
}

function splitMemory(tokens: number, needs: BudgetNeeds["memory"] | undefined): BudgetAllocation["memory"] {
  const claims = MEMORY_KINDS.map((kind) =>
    needs === undefined
      ? { need: tokens, weight: MEMORY_PERCENTS[kind] }
      : { need: Math.ceil(needs[kind]), weight: MEMORY_WEIGHTS[kind] },
  );
  const [shortTerm = 0, episodic = 0, semantic = 0, procedural = 0] = shareOut(tokens, claims);
  return { shortTerm, episodic, semantic, procedural };
}

/** A claim on tokens: the most that is needed, and the weight against other claims. */
interface Claim {
  readonly need: number;
  readonly weight: number;
}

/**
 * Divides whole tokens by weight, without exceeding a claim's need; tokens that one claim does not need go to the others. Distributes all of
 * `tokens`, or as many as are needed; a remainder that does not divide evenly goes to the first claims.
 */
export function shareOut(tokens: number, claims: readonly Claim[]): readonly number[] {
  const given = claims.map(() => 0);
  let left = tokens;
  while (left > 0) {
    const open = [...claims.entries()].filter(([index, { need, weight }]) => weight > 0 && (given[index] ?? 0) < need);
    if (open.length === 0) break;
    const weights = open.reduce((sum, [, { weight }]) => sum + weight, 0);
    const pool = left;
    for (const [index, { need, weight }] of open) {
      const wanted = need - (given[index] ?? 0);
      const part = Math.min(wanted, left, Math.max(1, Math.floor((pool * weight) / weights)));
      given[index] = (given[index] ?? 0) + part;
      left -= part;
    }
  }
  return given;
}

export interface BudgetAllocatorOptions {
  readonly totalTokens: number;
  /** The model whose class shifts the budget. @default undefined: no shift */
  readonly modelId?: string | undefined;
  /** Overrides the class of `modelId`. */
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

  /** The budget in a phase; with needs, tokens that a layer does not need go to others. */
  allocate(phase: Phase, options: AllocateOptions = {}): BudgetAllocation {
    assertObject("options", options);
    const { totalTokens = this.totalTokens, needs } = options;
    return allocateBudget({ totalTokens, phase, modelClass: this.modelClass, needs });
  }
}
