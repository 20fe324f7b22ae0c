import { CONDENSE_DEFAULTS } from "../../models/condense-defaults.ts";
import type { ModelEntry } from "../../models/model-entry.ts";
import { condenseDefaults } from "../../models/registry.ts";
import { LAYER_NAMES, type LayerName, type MemoryKind } from "../layer-names.ts";
import type { Phase } from "../layered-state.ts";

/** A number for each layer. */
export type LayerNumbers = Readonly<Record<LayerName, number>>;

/** The share of each layer in percent, before the phase and the model shift it. */
const LAYER_PERCENTS: LayerNumbers = {
  system: 5,
  task: 5,
  runtime: 3,
  memory: 52,
  evidence: 25,
  workBuffer: 10,
};

/** How the share of memory is divided among its kinds where their needs are not given. */
export const MEMORY_PERCENTS: Readonly<Record<MemoryKind, number>> = {
  shortTerm: 20,
  episodic: 15,
  semantic: 10,
  procedural: 7,
};

/** The weights by which the kinds of memory share its tokens where their needs are given. */
export const MEMORY_WEIGHTS: Readonly<Record<MemoryKind, number>> = {
  shortTerm: 1.5,
  episodic: 1,
  semantic: 0.8,
  procedural: 1.2,
};

const NO_SHIFT: Partial<LayerNumbers> = {};

const PHASE_SHIFTS: Readonly<Record<Phase, Partial<LayerNumbers>>> = {
  initializing: NO_SHIFT,
  planning: { memory: 10, evidence: 10, workBuffer: -20 },
  executing: { memory: -10, evidence: -5, workBuffer: 15 },
  reflecting: { memory: 15, evidence: 5, workBuffer: -20 },
  verifying: NO_SHIFT,
  completed: NO_SHIFT,
  failed: NO_SHIFT,
};

const MODEL_SHIFTS: Readonly<Record<ModelClass, Partial<LayerNumbers>>> = {
  opus: { evidence: 5, memory: 5 },
  haiku: { evidence: -10, memory: -5, workBuffer: 15 },
};

/** The layers' shares of the budget in a phase, for a class of models. None is negative; they are relative to their sum, which need not be 100. */
export function layerPercents(phase: Phase, modelClass?: ModelClass | undefined): LayerNumbers {
  const shifts = [PHASE_SHIFTS[phase], modelClass === undefined ? NO_SHIFT : MODEL_SHIFTS[modelClass]];
  const shifted = (layer: LayerName) => {
    const percent = shifts.reduce((sum, shift) => sum + (shift[layer] ?? 0), LAYER_PERCENTS[layer]);
    return Math.max(0, percent);
  };
  return byLayer(shifted);
}

/** The number of each layer. */
export function byLayer(numberOf: (layer: LayerName) => number): LayerNumbers {
  const [system, task, runtime, memory, evidence, workBuffer] = LAYER_NAMES;
  return {
    system: numberOf(system),
    task: numberOf(task),
    runtime: numberOf(runtime),
    memory: numberOf(memory),
    evidence: numberOf(evidence),
    workBuffer: numberOf(workBuffer),
  };
}

/** Classes of models for which budgets are shifted. */
export type ModelClass = "opus" | "haiku";

/** The class of a model by its condensing defaults; undefined for models of neither class, and for unknown ones. */
export function modelClassOf(model: ModelEntry | string): ModelClass | undefined {
  const defaults = condenseDefaults(model);
  if (defaults === CONDENSE_DEFAULTS.opus) return "opus";
  return defaults === CONDENSE_DEFAULTS.haiku ? "haiku" : undefined;
}
