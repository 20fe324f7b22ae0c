import type { BudgetAllocation, BudgetNeeds } from "../budget/allocate-budget.ts";
import { LAYER_NAMES, LAYER_PRIORITIES, type LayerName, PRIORITIES } from "../layer-names.ts";
import type { Shorten } from "./condense-item.ts";
import type { ContextGroup } from "./context-item.ts";
import type { Rendering } from "./context-syntax.ts";
import { type FittedGroup, type Frame, fitGroup, framed, frameTokens, groupTokens, wholeGroup } from "./fit-group.ts";

/** How one layer is shown in a context. */
export interface LayerReport {
  readonly layer: LayerName;
  /** 100 critical, 80 high, 50 medium, 20 low, 5 minimal. */
  readonly priority: number;
  readonly budgetTokens: number;
  /** The tokens of the layer as it is shown, with its tags. */
  readonly tokens: number;
  readonly wholeItems: number;
  readonly condensedItems: number;
  readonly omittedItems: number;
}

/** A context that may still exceed its budget. */
export interface ComposedContext {
  readonly context: string;
  /** In the order of the context. */
  readonly layers: readonly LayerReport[];
}

const ROOT: Frame = { tag: "context", depth: 1 };
const MEMORY: Frame = { tag: "memory", depth: 2 };

/** The layers by priority, and among equals from L0 to L5. */
const LAYER_ORDER = LAYER_NAMES.toSorted((one, other) => priorityOf(other) - priorityOf(one));

function priorityOf(layer: LayerName): number {
  return PRIORITIES[LAYER_PRIORITIES[layer]];
}

function isCritical({ layer }: ContextGroup): boolean {
  return LAYER_PRIORITIES[layer] === "critical";
}

/** The tokens of the groups' whole content. Those of the root tags are counted for the system layer. */
export function needsOf(groups: readonly ContextGroup[], rendering: Rendering): BudgetNeeds {
  const need = (name: ContextGroup["name"]) =>
    groups.reduce((sum, group) => sum + (group.name === name ? groupTokens(group, rendering) : 0), 0);
  // The tags around memory are counted for the first kind that is not empty.
  const payer = groups.find(({ layer, items }) => layer === "memory" && items.length > 0)?.name;
  const kind = (name: ContextGroup["name"]) => need(name) + (name === payer ? frameTokens(MEMORY, rendering) : 0);
  return {
    system: need("system") + frameTokens(ROOT, rendering),
    task: need("task"),
    runtime: need("runtime"),
    memory: {
      shortTerm: kind("shortTerm"),
      episodic: kind("episodic"),
      semantic: kind("semantic"),
      procedural: kind("procedural"),
    },
    evidence: need("evidence"),
    workBuffer: need("workBuffer"),
  };
}

interface ComposeOptions extends Rendering {
  readonly allocation: BudgetAllocation;
  readonly shorten?: Shorten | undefined;
}

/** Fits each layer into its budget; a kind of memory may also use the tokens that the kinds before it left. Critical layers stay whole. */
export function composeContext(groups: readonly ContextGroup[], options: ComposeOptions): ComposedContext {
  const { allocation, shorten, ...rendering } = options;
  let carriedTokens = 0;
  const fit = (group: ContextGroup): FittedGroup => {
    if (isCritical(group)) return wholeGroup(group, rendering);
    const budgetTokens = grantOf(group, allocation) + carriedTokens;
    const fitted = fitGroup(group, { ...rendering, budgetTokens, shorten });
    carriedTokens = budgetTokens - fitted.tokens;
    return fitted;
  };
  const memoryFrame = frameTokens(MEMORY, rendering);
  const layers = LAYER_ORDER.map((layer) => {
    const isMemory = layer === "memory";
    carriedTokens = isMemory ? -memoryFrame : 0;
    const fitted = groups.filter((group) => group.layer === layer).map(fit);
    const inner = fitted.map(({ text }) => text).join("");
    const isFramed = isMemory && inner !== "";
    return {
      text: isFramed ? framed(MEMORY, [inner], rendering) : inner,
      report: {
        layer,
        priority: priorityOf(layer),
        budgetTokens: allocation.layers[layer],
        tokens: sum(fitted, "tokens") + (isFramed ? memoryFrame : 0),
        wholeItems: sum(fitted, "wholeItems"),
        condensedItems: sum(fitted, "condensedItems"),
        omittedItems: sum(fitted, "omittedItems"),
      },
    };
  });
  return {
    context: framed(
      ROOT,
      layers.map(({ text }) => text),
      rendering,
    ),
    layers: layers.map(({ report }) => report),
  };
}

function grantOf({ name }: ContextGroup, { layers, memory }: BudgetAllocation): number {
  switch (name) {
    case "shortTerm":
    case "episodic":
    case "semantic":
    case "procedural":
      return memory[name];
    default:
      return layers[name];
  }
}

function sum(fitted: readonly FittedGroup[], field: Exclude<keyof FittedGroup, "text">): number {
  return fitted.reduce((total, group) => total + group[field], 0);
}
